import { createServer, type RequestListener, type Server, type ServerOptions } from "node:http";
import type { AddressInfo } from "node:net";
import type { FastifyInstance } from "fastify";
import type { ConnectionGuard } from "./connection-guard.ts";
import { KEEP_ALIVE_TIMEOUT_MS, REQUEST_TIMEOUT_MS } from "./fastify-app.ts";

/** How often requests are checked for timeouts. */
const TIMEOUT_CHECK_INTERVAL_MS = 500;

/** Options of `http.createServer()` that limit how long a request may take. */
const HTTP_SERVER_OPTIONS: Readonly<ServerOptions> = {
  keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
  requestTimeout: REQUEST_TIMEOUT_MS,
  // NOTE: if the headers timeout exceeded the request timeout, Node would swap the two.
  headersTimeout: REQUEST_TIMEOUT_MS,
  connectionsCheckingInterval: TIMEOUT_CHECK_INTERVAL_MS,
};

/** Creates an HTTP server whose connections and pipelined requests the guard limits. */
export function createGuardedServer(guard: ConnectionGuard, handle: RequestListener): Server {
  const server = createServer(HTTP_SERVER_OPTIONS, (request, response) =>
    guard.schedule(response, () => handle(request, response)),
  );
  // NOTE: by default Node silently drops all headers after the first thousand, which could include a
  // repeated one. The total size of the headers is limited to 16 KiB anyway.
  server.maxHeadersCount = 0;
  // By default Node itself responds to expectations that it does not know, without the guard.
  server.on("checkExpectation", (request, response) => server.emit("request", request, response));
  guard.protect(server);
  return server;
}

/** The address to listen on. */
export interface ListenAddress {
  /** 0 chooses any free port. */
  readonly port: number;
  /** Undefined for all addresses. */
  readonly host: string | undefined;
}

/** The address on which a server listens. */
export interface OpenPort {
  readonly port: number;
  /** For example `http://localhost:3000`. */
  readonly origin: string;
}

/** Starts to listen. If the port cannot be opened, closes the application and throws. */
export async function listen(
  app: FastifyInstance,
  { port, host }: ListenAddress,
): Promise<OpenPort> {
  try {
    // NOTE: an empty host means IPv6 and IPv4, or IPv4 only if there is no IPv6. Fastify would
    // replace `undefined` with localhost.
    await app.listen({ port, host: host ?? "" });
  } catch (error) {
    await app.close();
    throw error;
  }
  const address = app.server.address() as AddressInfo;
  return { port: address.port, origin: `http://${toUrlHost(host)}:${address.port}` };
}

function toUrlHost(host = "localhost"): string {
  if (host === "0.0.0.0" || host === "::") return "localhost";
  return host.includes(":") ? `[${host}]` : host;
}
