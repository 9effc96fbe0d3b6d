import type { ApplicationUsage, FlagsClient } from "flags-sdk";
import type { Logger } from "flags-server-kit";
import type { LoadedConfig } from "../config/assemble-config.ts";
import { createClient } from "../create-client.ts";
import { logFailures } from "../log-failures.ts";
import { createMetrics } from "../metrics/metrics.ts";
import { observeSources } from "../metrics/observe-sources.ts";
import { FlagDistribution } from "./flag-distribution.ts";
import type { MessageToPrimary, ToPrimary } from "./messages.ts";
import { MetricsCollection } from "./metrics-collection.ts";
import { createPoolMetrics } from "./pool-metrics.ts";
import type { WorkerPeer } from "./worker-peer.ts";
import { WorkerPool } from "./worker-pool.ts";

/**
 * The process that the workers share. It answers no requests: it holds the connection to the
 * upstream, gives flags to the workers, takes their usage, and keeps them running.
 */
export class Primary {
  readonly #logger: Logger;
  readonly #client: FlagsClient;
  readonly #pool: WorkerPool;
  readonly #flags: FlagDistribution;
  readonly #metrics: MetricsCollection;

  constructor(config: LoadedConfig) {
    const { logger, port, workers: count, workerTimeoutMs } = config;
    this.#logger = logger;
    this.#client = createClient(config);
    this.#flags = new FlagDistribution(this.#client, logger);
    const { registry } = createMetrics();
    observeSources(registry, [this.#client]);
    this.#metrics = new MetricsCollection(registry);
    this.#pool = new WorkerPool({
      count,
      port,
      workerTimeoutMs,
      logger,
      metrics: createPoolMetrics(registry),
      onMessage: (worker, message) => this.#hear(worker, message),
      onEnd: (worker) => this.#forget(worker),
    });
  }

  /** Resolves to the address when all workers listen. */
  async start(): Promise<string> {
    logFailures(this.#client, this.#logger);
    this.#client.start();
    return this.#pool.start();
  }

  /** Ends the workers, then sends the usage that was taken from them. */
  async close(): Promise<void> {
    await this.#pool.stop();
    this.#flags.close();
    await this.#client.close();
  }

  #hear(worker: WorkerPeer, message: ToPrimary): void {
    switch (message.kind) {
      case "hello":
        this.#flags.join(worker);
        return;
      case "loaded":
        this.#flags.loaded(worker, message.revision);
        return;
      case "usage":
        this.#takeUsage(worker, message);
        return;
      case "registration":
        this.#client.registerApplication(message.registration);
        return;
      case "scrape":
        void this.#tellMetrics(worker);
        return;
      case "collected":
        this.#metrics.accept(worker, message.metrics);
        return;
      case "listening":
      case "failed":
      case "pong":
      // The pool has handled it.
    }
  }

  #takeUsage(worker: WorkerPeer, { id, text }: MessageToPrimary<"usage">): void {
    const usage = JSON.parse(text) as ApplicationUsage;
    worker.send({ kind: "decision", id, isAccepted: this.#client.reportUsage(usage) });
  }

  async #tellMetrics(worker: WorkerPeer): Promise<void> {
    const text = await this.#metrics.read(this.#pool.workers).catch((error: unknown) => {
      this.#logger.error("Cannot collect the metrics of the workers", error);
      return undefined;
    });
    worker.send({ kind: "metrics", text });
  }

  #forget(worker: WorkerPeer): void {
    this.#flags.leave(worker);
    this.#metrics.leave(worker);
  }
}
