import { once } from "node:events";
import { readdir, readlink } from "node:fs/promises";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import { eventually } from "./_command.ts";
import { isListening } from "./_ports.ts";

/** Connects a client that reads nothing unless the test does, and never closes its side by itself. */
export async function connectClient(port: number): Promise<Socket> {
  const socket = connect({ host: "127.0.0.1", port, allowHalfOpen: true });
  socket.on("error", () => {});
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  return socket;
}

/** Returns the number of open sockets of a process. Linux only. */
export async function countSockets(pid: number): Promise<number> {
  const directory = `/proc/${pid}/fd`;
  const names = await readdir(directory);
  const targets = await Promise.all(
    names.map((name) => readlink(`${directory}/${name}`).catch(() => "")),
  );
  return targets.filter((target) => target.startsWith("socket:")).length;
}

/** Returns the value of a metric in the Prometheus text format. */
export function valueOf(metrics: string, name: string): number | undefined {
  const line = metrics.split("\n").find((each) => each.startsWith(`${name} `));
  return line === undefined ? undefined : Number(line.slice(name.length));
}

/** Sends the headers of `POST /proxy`, and resolves when the server waits for the body. */
export async function startRequest(url: string, contentLength: number): Promise<Socket> {
  const client = await connectClient(Number(new URL(url).port));
  client.write(
    `POST /proxy HTTP/1.1\r\nHost: flags\r\nAuthorization: client-key\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: ${contentLength}\r\n\r\n`,
  );
  // The response `100 Continue` shows that the server is waiting for the body.
  await once(client, "data");
  return client;
}

/**
 * Resolves when the server refuses connections.
 *
 * NOTE: sends no request, which might get no response from a worker that is stopping.
 */
export async function untilRefused(url: string): Promise<void> {
  await eventually(() => isListening(Number(new URL(url).port))).toBe(false);
}

/** Listens on a port for the duration of a test. Returns the port. */
export async function occupyPort(cleanUp: typeof onTestFinished = onTestFinished): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  cleanUp(() => void server.close());
  return (server.address() as AddressInfo).port;
}
