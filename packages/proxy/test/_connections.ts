import { once } from "node:events";
import { readdir, readlink } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { onTestFinished } from "vitest";

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
