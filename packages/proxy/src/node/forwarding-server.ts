import type { Server } from "node:http";
import { type ConnectionGuard, createLimitedServer } from "flags-server-kit/http";

/** Creates a server on an additional port, whose requests the main server handles as if they were its own. */
export function createForwardingServer(guard: ConnectionGuard, main: Server): Server {
  const server = createLimitedServer((request, response) =>
    main.emit("request", request, response),
  );
  server.on("checkExpectation", (request, response) => main.emit("request", request, response));
  server.on("checkContinue", (request, response) => main.emit("checkContinue", request, response));
  server.on("clientError", (error, socket) => main.emit("clientError", error, socket));
  guard.acceptFrom(server);
  return server;
}
