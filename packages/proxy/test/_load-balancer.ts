import { connect, createServer, type Socket } from "node:net";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** Forwards TCP connections to several servers in turn. */
export interface LoadBalancer {
  readonly port: number;
  /** How many connections each server got. */
  readonly counts: readonly number[];
  /** From now on, closes existing and new connections. */
  cut(): void;
}

/**
 * Starts a load balancer for the duration of a test.
 *
 * @param maxMs closes each connection after this time, so that clients get to another server @default never
 */
export async function startLoadBalancer(
  ports: readonly number[],
  maxMs?: number,
): Promise<LoadBalancer> {
  const open = new Set<Socket>();
  const counts = ports.map(() => 0);
  let isCut = false;
  let next = 0;
  const closeAll = (): void => open.forEach((socket) => socket.destroy());
  const server = createServer((client) => {
    if (isCut) {
      client.destroy();
      return;
    }
    const index = next % ports.length;
    next += 1;
    counts[index] = (counts[index] ?? 0) + 1;
    const upstream = connect(ports[index] ?? 0, "127.0.0.1");
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        open.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
    if (maxMs !== undefined) setTimeout(() => client.destroy(), maxMs).unref();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    closeAll();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const cut = (): void => {
    isCut = true;
    closeAll();
  };
  return { port, counts, cut };
}
