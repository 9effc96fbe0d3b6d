// A TCP load balancer with health checks, as network load balancers and kube-proxy with probes are.

import { once } from "node:events";
import { get } from "node:http";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

const CHECK_INTERVAL_MS = 200;
const CHECK_TIMEOUT_MS = 2000;

/** Distributes connections, but not requests, over the replicas whose last health check succeeded. */
export class LoadBalancer {
  readonly #healthy: Set<number>;
  readonly #sockets = new Set<Socket>();
  #next = 0;

  private constructor(ports: readonly number[]) {
    this.#healthy = new Set(ports);
  }

  /** Starts one for the duration of a test. Returns it with its address. */
  static async start(ports: readonly number[]): Promise<{
    readonly balancer: LoadBalancer;
    readonly url: string;
  }> {
    const balancer = new LoadBalancer(ports);
    const server = createServer({ allowHalfOpen: true }, (client) => balancer.#accept(client));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const timers = ports.map((port) => setInterval(() => balancer.#check(port), CHECK_INTERVAL_MS));
    onTestFinished(() => {
      timers.forEach((timer) => clearInterval(timer));
      server.close();
      for (const socket of balancer.#sockets) socket.destroy();
    });
    const { port } = server.address() as AddressInfo;
    return { balancer, url: `http://127.0.0.1:${port}` };
  }

  isHealthy(port: number): boolean {
    return this.#healthy.has(port);
  }

  #check(port: number): void {
    const update = (isHealthy: boolean): void =>
      void (isHealthy ? this.#healthy.add(port) : this.#healthy.delete(port));
    get(`http://127.0.0.1:${port}/ready`, { agent: false, timeout: CHECK_TIMEOUT_MS }, (response) =>
      update(response.resume().statusCode === 200),
    )
      .on("timeout", () => update(false))
      .on("error", () => update(false));
  }

  #accept(client: Socket): void {
    const ports = [...this.#healthy];
    this.#next += 1;
    const port = ports[this.#next % ports.length];
    if (port === undefined) {
      client.destroy();
      return;
    }
    const server = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(from);
      from.setNoDelay(true);
      from.pipe(to);
      from.on("error", () => to.resetAndDestroy());
      from.on("close", () => this.#sockets.delete(from));
    }
  }
}
