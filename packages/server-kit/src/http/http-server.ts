import { createServer, type RequestListener, type Server, type ServerOptions } from "node:http";
import type { ConnectionGuard } from "./connection-guard.ts";
import { KEEP_ALIVE_TIMEOUT_MS, REQUEST_TIMEOUT_MS } from "./server-defaults.ts";

/** How often requests are checked for timeouts. */
const TIMEOUT_CHECK_INTERVAL_MS = 500;

/** Options of `http.createServer()` that limit how long a request may take. */
const HTTP_SERVER_OPTIONS: Readonly<ServerOptions> = {
  keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
  requestTimeout: REQUEST_TIMEOUT_MS,
  // NOTE: with a headers timeout above the request timeout, Node swaps the two.
  headersTimeout: REQUEST_TIMEOUT_MS,
  connectionsCheckingInterval: TIMEOUT_CHECK_INTERVAL_MS,
};

/** Creates an HTTP server with limited connections, which handles requests as the guard allows. */
export function createGuardedServer(guard: ConnectionGuard, handle: RequestListener): Server {
  const server = createServer(HTTP_SERVER_OPTIONS, (request, response) =>
    guard.schedule(response, () => handle(request, response)),
  );
  // NOTE: by default Node drops all headers after the first thousand without a trace, and with them
  // a repeated one. Their total size is limited to 16 KiB anyway.
  server.maxHeadersCount = 0;
  // By default Node itself responds to expectations that it does not know, past the guard.
  server.on("checkExpectation", (request, response) => server.emit("request", request, response));
  guard.protect(server);
  return server;
}
