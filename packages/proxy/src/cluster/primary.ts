import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import type { Logger, RunningServer } from "flags-server-kit";
import type { Telemetry } from "flags-server-kit/telemetry";
import type { LoadedConfig } from "../config/assemble-config.ts";
import { startKeyVerifier } from "../create-access-control.ts";
import { createConfiguredSources } from "../choose-sources.ts";
import { logSourceEvents } from "../log-source-events.ts";
import { listPorts } from "../ports.ts";
import { closeSources, type Source, sendUsageBefore, startSources } from "../sources.ts";
import { createMetrics, type Metrics } from "../metrics/metrics.ts";
import { observeSources } from "../metrics/source-metrics.ts";
import type { KeyVerifier } from "../access/verified-key.ts";
import { FlagDistribution } from "./flag-distribution.ts";
import { KeyDistribution } from "./key-distribution.ts";
import type { ToPrimary, WorkerPeer } from "./messages.ts";
import { MetricsCollection } from "./metrics-collection.ts";
import { UsageReceiver } from "./usage-forwarding.ts";
import { type WorkerCall, WorkerPool, type WorkerVariables } from "./worker-pool.ts";

/** Serves with several processes that share one port and the connections to the upstream. */
export async function serveWithWorkers(
  config: LoadedConfig,
  telemetry: Telemetry | undefined,
  /** What workers are started with, in addition to the environment. */
  { args, variables }: WorkerCall,
): Promise<RunningServer> {
  const metrics = createMetrics();
  telemetry?.exportMetrics(metrics);
  const verifier =
    config.upstreamKeys && (await startKeyVerifier(config, config.upstreamKeys, metrics.registry));
  const primary = new Primary(config, {
    args,
    variables: { ...variables, ...(await choosePorts(config)), ...config.workerVariables },
    metrics,
    verifier,
    telemetry,
  });
  const address = await primary.start();
  return { server: undefined, address, close: (delayMs) => primary.close(delayMs) };
}

interface PrimaryDependencies extends WorkerCall {
  readonly metrics: Metrics;
  /** Undefined if the upstream does not verify keys. */
  readonly verifier: KeyVerifier | undefined;
  /** Undefined if it is not enabled. */
  readonly telemetry: Telemetry | undefined;
}

/**
 * Returns the ports of the workers as environment variables.
 *
 * NOTE: if the system chose a port for the workers, it would be lost when no worker is left.
 */
async function choosePorts(config: LoadedConfig): Promise<WorkerVariables> {
  const chosen: Record<string, string> = {};
  for (const { port, host, variables } of listPorts(config)) {
    // oxlint-disable-next-line no-await-in-loop -- at most three
    chosen[variables.port] = String(port === 0 ? await findFreePort(host) : port);
  }
  return chosen;
}

async function findFreePort(host: string | undefined): Promise<number> {
  const server = createServer().listen({ port: 0, host: host ?? "" });
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/**
 * The primary process. It serves no requests: it keeps the connections to the upstream, distributes
 * flags to the workers, forwards their usage, and keeps them running.
 */
class Primary {
  readonly #logger: Logger;
  readonly #sources: readonly Source[];
  readonly #pool: WorkerPool;
  readonly #distributions: readonly FlagDistribution[];
  /** The number of sources for which a worker is ready to listen. */
  readonly #readyCounts = new WeakMap<WorkerPeer, number>();
  readonly #metrics: MetricsCollection;
  readonly #telemetry: Telemetry | undefined;
  readonly #keys: KeyDistribution | undefined;
  readonly #usage: UsageReceiver;

  constructor(
    config: LoadedConfig,
    { args, variables, metrics, verifier, telemetry }: PrimaryDependencies,
  ) {
    const { logger, workers: count, workerTimeoutMs } = config;
    this.#logger = logger;
    this.#telemetry = telemetry;
    this.#sources = createConfiguredSources(config, telemetry?.tracer?.beginUpstream);
    this.#distributions = this.#sources.map(
      (source, index) =>
        new FlagDistribution({ source, index, logger, onReady: (worker) => this.#onReady(worker) }),
    );
    this.#usage = new UsageReceiver(
      this.#sources.map(({ flags }) => flags),
      logger,
    );
    const { registry } = metrics;
    observeSources(metrics, this.#sources);
    this.#metrics = new MetricsCollection(registry);
    this.#pool = new WorkerPool({
      count,
      args,
      variables,
      workerTimeoutMs,
      logger,
      registry,
      onMessage: (worker, message) => this.#onMessage(worker, message),
      onExit: (worker) => this.#onExit(worker),
    });
    this.#keys = verifier && new KeyDistribution(verifier, () => this.#pool.workers);
  }

  /** Resolves to the addresses when all workers listen. */
  async start(): Promise<string> {
    logSourceEvents(this.#sources, this.#logger);
    await startSources(this.#sources);
    return this.#pool.start();
  }

  /** Stops the workers, which still serve requests for `delayMs`, then sends their last usage upstream. */
  async close(delayMs: number): Promise<void> {
    sendUsageBefore(delayMs, this.#sources);
    await this.#pool.stop(delayMs);
    for (const distribution of this.#distributions) distribution.close();
    await Promise.all([closeSources(this.#sources), this.#keys?.close()]);
    await this.#telemetry?.close();
  }

  #onMessage(worker: WorkerPeer, message: ToPrimary): void {
    this.#keys?.handle(worker, message);
    switch (message.kind) {
      case "hello":
        for (const distribution of this.#distributions) distribution.join(worker);
        return;
      case "loaded":
        this.#distributions[message.source]?.loaded(worker, message.revision);
        return;
      case "usage":
      case "registration":
        void this.#usage.accept(worker, message);
        return;
      case "scrape":
        void this.#sendMetrics(worker);
        return;
      case "collected":
        this.#metrics.accept(worker, message.metrics);
        return;
      default:
      // Handled by the pool, or the distribution of keys.
    }
  }

  #onReady(worker: WorkerPeer): void {
    const count = (this.#readyCounts.get(worker) ?? 0) + 1;
    this.#readyCounts.set(worker, count);
    if (count === this.#sources.length) worker.send({ kind: "listen" });
  }

  async #sendMetrics(worker: WorkerPeer): Promise<void> {
    const text = await this.#metrics.read(this.#pool.workers).catch((error: unknown) => {
      this.#logger.error("Cannot collect the metrics of the workers", error);
      return undefined;
    });
    worker.send({ kind: "metrics", text });
  }

  #onExit(worker: WorkerPeer): void {
    for (const distribution of this.#distributions) distribution.leave(worker);
    this.#metrics.leave(worker);
  }
}
