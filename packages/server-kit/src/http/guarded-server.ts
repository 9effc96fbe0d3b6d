import { createServer, type RequestListener, type Server, type ServerOptions } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { Socket } from "node:net";
import { type ConnectionGuard, MAX_HEADERS } from "./connection-guard.ts";
import { KEEP_ALIVE_TIMEOUT_MS, REQUEST_TIMEOUT_MS } from "./server-defaults.ts";
import { type TlsFiles, toContextOptions } from "./tls-files.ts";

/** How often requests are checked for timeouts. */
const TIMEOUT_CHECK_INTERVAL_MS = 500;

/** How long a TLS handshake may take. Node's default is 120 s. */
const HANDSHAKE_TIMEOUT_MS = 10_000;

/** Options of `http.createServer()` that limit how long a request may take. */
const HTTP_SERVER_OPTIONS: Readonly<ServerOptions> = {
  keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
  requestTimeout: REQUEST_TIMEOUT_MS,
  // NOTE: if the headers timeout exceeded the request timeout, Node would swap the two.
  headersTimeout: REQUEST_TIMEOUT_MS,
  connectionsCheckingInterval: TIMEOUT_CHECK_INTERVAL_MS,
};

/**
 * Creates an HTTP server whose connections and pipelined requests the guard limits.
 *
 * @param tls makes it a TLS server
 */
export function createGuardedServer(
  guard: ConnectionGuard,
  handle: RequestListener,
  tls?: TlsFiles,
): Server {
  const reject = (error: Error, socket: Socket): void => {
    server.emit("clientError", error, socket);
  };
  const server = createHttpServer(guard.limitRequests(handle, reject), tls);
  // By default Node itself responds to expectations that it does not know, without the guard.
  server.on("checkExpectation", (request, response) => server.emit("request", request, response));
  // NOTE: by default Node writes the `100 Continue` of a pipelined request between the headers and the body of its
  // response. The client, or a gateway, would take the end of the body for the start of the next response.
  server.on("checkContinue", (request, response) => {
    guard.expectContinue(response);
    server.emit("request", request, response);
  });
  guard.protect(server);
  return server;
}

/**
 * Creates a server on an additional port, whose requests the main server handles as if they were its own.
 * The two share the limit of connections.
 */
export function createForwardingServer(guard: ConnectionGuard, main: Server): Server {
  const server = createHttpServer((request, response) => main.emit("request", request, response));
  server.on("checkExpectation", (request, response) => main.emit("request", request, response));
  server.on("checkContinue", (request, response) => main.emit("checkContinue", request, response));
  server.on("clientError", (error, socket) => main.emit("clientError", error, socket));
  guard.acceptFrom(server);
  return server;
}

function createHttpServer(handle: RequestListener, tls?: TlsFiles): Server {
  const server =
    tls === undefined
      ? createServer(HTTP_SERVER_OPTIONS, handle)
      : createFollowingServer(handle, tls);
  // NOTE: Node silently drops the headers beyond its limit, which could include a repeated one. So it must keep
  // one more than the guard allows, and the guard rejects the request.
  server.maxHeadersCount = MAX_HEADERS + 1;
  return server;
}

function createFollowingServer(handle: RequestListener, tls: TlsFiles): Server {
  const { material } = tls;
  const options = {
    ...HTTP_SERVER_OPTIONS,
    ...toContextOptions(material),
    handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
    requestCert: material.clientCa !== undefined,
    rejectUnauthorized: material.clientCa !== undefined,
  };
  const server = createTlsServer(options, handle);
  tls.follow(server);
  return server;
}
