import {
  createServer,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from "node:http";
import type { Socket } from "node:net";
import { type ConnectionGuard, MAX_HEADERS } from "./connection-guard.ts";
import { KEEP_ALIVE_TIMEOUT_MS, REQUEST_TIMEOUT_MS } from "./server-defaults.ts";

const TIMEOUT_CHECK_INTERVAL_MS = 500;

const HTTP_SERVER_OPTIONS: Readonly<ServerOptions> = {
  keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
  requestTimeout: REQUEST_TIMEOUT_MS,
  // NOTE: if the headers timeout exceeded the request timeout, Node would swap the two.
  headersTimeout: REQUEST_TIMEOUT_MS,
  connectionsCheckingInterval: TIMEOUT_CHECK_INTERVAL_MS,
};

export type CreateServer = (options: Readonly<ServerOptions>, handle: RequestListener) => Server;

/** @param create creates a server of another kind, such as one with TLS */
export function createGuardedServer(
  guard: ConnectionGuard,
  handle: RequestListener,
  create?: CreateServer,
): Server {
  const reject = (error: Error, socket: Socket): void => {
    server.emit("clientError", error, socket);
  };
  const expecting = new WeakSet<ServerResponse>();
  const respond: RequestListener = (request, response) => {
    if (expecting.has(response)) response.writeContinue();
    handle(request, response);
  };
  const server = createLimitedServer(guard.limitRequests(respond, reject), create);
  // By default Node itself responds to expectations that it does not know, without the guard.
  server.on("checkExpectation", (request, response) => server.emit("request", request, response));
  // NOTE: by default Node writes the `100 Continue` of a pipelined request between the headers and the body of its
  // response. The client, or a gateway, would take the end of the body for the start of the next response.
  server.on("checkContinue", (request, response) => {
    expecting.add(response);
    server.emit("request", request, response);
  });
  guard.protect(server);
  return server;
}

/** Creates a server with the limits of all our servers, whose connections nothing guards yet. */
export function createLimitedServer(
  handle: RequestListener,
  create: CreateServer = createServer,
): Server {
  const server = create(HTTP_SERVER_OPTIONS, handle);
  // NOTE: Node silently drops the headers beyond its limit, which could include a repeated one. So it must keep
  // one more than the guard allows, and the guard rejects the request.
  server.maxHeadersCount = MAX_HEADERS + 1;
  return server;
}
