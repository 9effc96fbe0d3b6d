import { once } from "node:events";
import { createServer, type RequestListener, type Server, type ServerOptions } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** Starts an HTTP server for the duration of a test. */
export async function startServer(
  listener: RequestListener,
  { prepare, ...options }: ServerOptions & { readonly prepare?: (server: Server) => void } = {},
): Promise<Server> {
  const server = createServer(options, listener);
  prepare?.(server);
  server.listen(0, "127.0.0.1");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, "listening");
  return server;
}

/** Connects to a server as a peer that reads nothing and never closes its side of the connection. */
export async function connectPeer(server: Server): Promise<Socket> {
  const { port } = server.address() as AddressInfo;
  const socket = connect({ host: "127.0.0.1", port, allowHalfOpen: true });
  socket.on("error", () => {});
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  return socket;
}

/** Resolves when the server has closed its side of a connection. */
export function closedByServer(peer: Socket): Promise<void> {
  return new Promise((resolve) => {
    peer.resume();
    peer.once("end", resolve);
    peer.once("close", () => resolve());
  });
}

/** Resolves to the number of open connections of a server. */
export function countConnections(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)));
  });
}
