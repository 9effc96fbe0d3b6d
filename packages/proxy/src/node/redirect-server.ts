import type { RequestListener, Server } from "node:http";
import type { ConnectionGuard } from "flags-server-kit/http";
import { addressNotAllowed, HttpError } from "../core/http/errors.ts";
import { JSON_TYPE } from "../core/http/reply.ts";
import { AppServer } from "./app-server.ts";
import { adoptForwarded } from "./forwarded-header.ts";
import type { AllowRequest } from "./access-list.ts";

interface RedirectOptions {
  readonly tlsPort: () => number;
  readonly guard: ConnectionGuard;
  readonly isAllowed: AllowRequest | undefined;
  readonly readsForwarded: boolean;
}

const DEFAULT_TLS_PORT = 443;

/** Creates a server that redirects every request to the same host and path with TLS. */
export function createRedirectServer(options: RedirectOptions): Server {
  const { guard, isAllowed, readsForwarded, tlsPort } = options;
  const listener: RequestListener = (request, response) => {
    if (readsForwarded) adoptForwarded(request.headers);
    const location = toTlsAddress(request.headers.host, request.url, tlsPort());
    const error = isAllowed?.(request) === false ? addressNotAllowed() : NO_ADDRESS;
    const isRedirect = error === NO_ADDRESS && location !== undefined;
    const body = isRedirect ? "" : JSON.stringify(error.toBody());
    response.writeHead(isRedirect ? 308 : error.statusCode, {
      // The port may serve something else later.
      "cache-control": "no-store",
      "content-length": Buffer.byteLength(body),
      // The body of the request is not read.
      connection: "close",
      ...(isRedirect ? { location } : { "content-type": JSON_TYPE }),
    });
    response.end(body);
  };
  return new AppServer({ guard, listener }).server;
}

const NO_ADDRESS = new HttpError(
  400,
  "This port only redirects to https://: send a `Host` and a path",
);

function toTlsAddress(
  host: string | undefined,
  path: string | undefined,
  port: number,
): string | undefined {
  // NOTE: only a host and a port, so that the result cannot lead to another host.
  const [, name] = /^([\w.-]+|\[[\da-f:.]+\])(?::\d+)?$/i.exec(host ?? "") ?? [];
  if (name === undefined || path?.startsWith("/") !== true) return undefined;
  const suffix = port === DEFAULT_TLS_PORT ? "" : `:${port}`;
  const address = `https://${name}${suffix}${path}`;
  return URL.canParse(address) ? address : undefined;
}
