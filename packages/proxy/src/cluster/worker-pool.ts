import cluster from "node:cluster";
import { fileURLToPath } from "node:url";
import type { Logger } from "flags-server-kit";
import { Heartbeat } from "./heartbeat.ts";
import type { ToPrimary } from "./messages.ts";
import type { PoolMetrics } from "./pool-metrics.ts";
import { RestartDelay } from "./restart-delay.ts";
import type { WorkerPeer } from "./worker-peer.ts";
import { WorkerProcess } from "./worker-process.ts";

// NOTE: reached from the bundle, which is as deep as this file.
const WORKER_PROGRAM = fileURLToPath(new URL("../../bin/flags-proxy-worker.js", import.meta.url));

/** Workers that have not ended by then are killed: usage must still be sent before 10 s are over. */
const STOP_LIMIT_MS = 4000;

export interface WorkerPoolOptions {
  readonly count: number;
  /** The port that all workers share; not 0, or it would be lost with the last worker. */
  readonly port: number;
  /** A worker that has not responded for so long is killed and replaced. */
  readonly workerTimeoutMs: number;
  readonly logger: Logger;
  readonly metrics: PoolMetrics;
  readonly onMessage: (worker: WorkerPeer, message: ToPrimary) => void;
  /** A worker has ended. */
  readonly onEnd: (worker: WorkerPeer) => void;
}

/** Keeps a number of workers running. */
export class WorkerPool {
  readonly #options: WorkerPoolOptions;
  readonly #delay = new RestartDelay();
  readonly #workers = new Set<WorkerProcess>();
  readonly #restarts = new Set<NodeJS.Timeout>();
  #heartbeat: Heartbeat<WorkerProcess> | undefined;
  #isStopping = false;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
  }

  get workers(): Iterable<WorkerPeer> {
    return this.#workers;
  }

  /**
   * Starts the workers. Resolves to their address when all of them listen.
   *
   * @throws {StartError} when one of them cannot, for the reason that it gives
   */
  async start(): Promise<string> {
    cluster.setupPrimary({ exec: WORKER_PROGRAM, args: [], serialization: "advanced" });
    this.#heartbeat = this.#startHeartbeat();
    const workers = Array.from({ length: this.#options.count }, () => this.#add());
    const urls = await Promise.all(workers.map(({ listening }) => listening));
    for (const [slot, worker] of workers.entries()) this.#replaceAtEnd(worker, slot);
    return urls[0] ?? "";
  }

  /** Has all workers finish their requests, and resolves when they have ended. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#heartbeat?.close();
    for (const restart of this.#restarts) clearTimeout(restart);
    const limit = setTimeout(() => {
      for (const worker of this.#workers) {
        this.#options.logger.error(`${worker.name} does not stop, and is killed`);
        worker.kill();
      }
    }, STOP_LIMIT_MS);
    for (const worker of this.#workers) worker.stop();
    await Promise.all([...this.#workers].map(({ ended }) => ended));
    clearTimeout(limit);
  }

  #startHeartbeat(): Heartbeat<WorkerProcess> {
    const { workerTimeoutMs: timeoutMs, metrics } = this.#options;
    return new Heartbeat({
      timeoutMs,
      onUnresponsive: (worker) => {
        metrics.unresponsive.inc();
        worker.kill("did not respond, and was killed");
      },
    });
  }

  #add(): WorkerProcess {
    const { port, onMessage, onEnd, logger, metrics } = this.#options;
    const worker = new WorkerProcess(cluster.fork({ PORT: String(port) }), (from, message) => {
      this.#heartbeat?.responded(from);
      onMessage(from, message);
    });
    this.#workers.add(worker);
    this.#heartbeat?.add(worker);
    metrics.running.inc();
    void worker.ended.then(() => {
      this.#workers.delete(worker);
      this.#heartbeat?.remove(worker);
      metrics.running.dec();
      onEnd(worker);
    });
    worker.listening.then(
      () => logger.info(`${worker.name} listens`),
      () => {},
    );
    return worker;
  }

  #replaceAtEnd(worker: WorkerProcess, slot: number): void {
    void worker.ended.then((fate) => {
      if (this.#isStopping) return;
      const { servedMs } = worker;
      const delayMs = this.#delay.nextMs({ slot, servedMs, isLast: this.#workers.size === 0 });
      const wait = delayMs === 0 ? "" : ` in ${delayMs / 1000} s`;
      this.#options.logger.error(`${worker.name} ${fate}: another one starts${wait}`);
      const restart = setTimeout(() => {
        this.#restarts.delete(restart);
        this.#options.metrics.restarts.inc();
        this.#replaceAtEnd(this.#add(), slot);
      }, delayMs);
      this.#restarts.add(restart);
    });
  }
}
