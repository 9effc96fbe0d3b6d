import { EventEmitter, once } from "node:events";
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";

export interface Recorded {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

export interface RecordingUpstream {
  readonly url: string;
  readonly requests: readonly Recorded[];
  /** Resolves to the first request to a path, past or future. */
  first(path: string): Promise<Recorded>;
  /** From now on, sends no response to any request. */
  hang(): void;
  /** From now on, redirects every request to the same path of another upstream. */
  redirectTo(url: string): void;
}

const DOCUMENT = JSON.stringify({
  version: 2,
  features: [{ name: "on", enabled: true, strategies: [{ name: "default" }] }],
});

interface Tls {
  readonly key: string;
  readonly cert: string;
}

/** Starts an upstream that serves one flag and records all requests, for the duration of a test. */
export async function startRecordingUpstream(tls?: Tls): Promise<RecordingUpstream> {
  const requests: Recorded[] = [];
  const events = new EventEmitter();
  let isHanging = false;
  let redirectOrigin: string | undefined;
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    // Requests to a forward proxy contain a whole URL.
    const { pathname, search } = new URL(request.url ?? "", "http://upstream.invalid");
    const path = pathname + search;
    requests.push({ path, headers: request.headers, body: await text(request) });
    response.setHeader("content-type", "application/json");
    if (redirectOrigin !== undefined) {
      response.writeHead(307, { location: new URL(path, redirectOrigin).href });
    }
    if (!isHanging) response.end(path.startsWith("/api/client/features") ? DOCUMENT : "{}");
    events.emit("request");
  };
  const listener: RequestListener = (request, response) => void respond(request, response);
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const first = async (path: string): Promise<Recorded> => {
    for (;;) {
      const found = requests.find((request) => request.path === path);
      if (found !== undefined) return found;
      await once(events, "request");
    }
  };
  const hang = (): void => void (isHanging = true);
  const redirectTo = (url: string): void => void (redirectOrigin = url);
  const scheme = tls === undefined ? "http" : "https";
  return { url: `${scheme}://127.0.0.1:${port}/api`, requests, first, hang, redirectTo };
}
