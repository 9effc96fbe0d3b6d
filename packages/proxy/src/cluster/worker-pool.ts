import cluster from "node:cluster";
import { fileURLToPath } from "node:url";
import type { Logger } from "flags-server-kit/neutral";
import { WORKER_STOP_TIMEOUT_MS } from "flags-server-kit";
import type { Registry } from "prom-client";
import { createWorkerMetrics, type WorkerMetrics } from "../metrics/worker-metrics.ts";
import { Heartbeat } from "./heartbeat.ts";
import type { ToPrimary, WorkerPeer } from "./messages.ts";
import { WorkerProcess } from "./worker-process.ts";

// NOTE: also correct when this runs from the bundle, which is in a folder of the same depth.
const WORKER_PROGRAM = fileURLToPath(new URL("../../bin/flags-proxy-worker.js", import.meta.url));

/** A worker that exits earlier may be in a crash loop, in which the delay of its replacement doubles. */
const STABLE_MS = 10_000;
const FIRST_DELAY_MS = 1000;
const MAX_DELAY_MS = 8000;

export type WorkerVariables = Readonly<Record<string, string>>;

export interface WorkerCall {
  readonly args: readonly string[];
  readonly variables: WorkerVariables;
}

interface WorkerPoolOptions extends WorkerCall {
  readonly count: number;
  readonly workerTimeoutMs: number;
  readonly logger: Logger;
  readonly registry: Registry;
  readonly onMessage: (worker: WorkerPeer, message: ToPrimary) => void;
  readonly onExit: (worker: WorkerPeer) => void;
}

/** Keeps a number of workers running. */
export class WorkerPool {
  readonly #options: WorkerPoolOptions;
  readonly #metrics: WorkerMetrics;
  readonly #workers = new Set<WorkerProcess>();
  readonly #restarts = new Set<NodeJS.Timeout>();
  #heartbeat: Heartbeat<WorkerProcess> | undefined;
  #isStopping = false;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
    this.#metrics = createWorkerMetrics(options.registry, () => this.#workers.size);
  }

  get workers(): Iterable<WorkerPeer> {
    return this.#workers;
  }

  /**
   * Resolves to the addresses of the workers, which are the same, when all of them listen.
   *
   * @throws {StartError} with the worker's reason, if one of them cannot start
   */
  async start(): Promise<string> {
    const args = [...this.#options.args];
    cluster.setupPrimary({ exec: WORKER_PROGRAM, args, serialization: "advanced" });
    this.#heartbeat = new Heartbeat(this.#options.workerTimeoutMs, (worker) => {
      this.#metrics.unresponsive.inc();
      worker.kill("did not respond, and was killed");
    });
    const workers = Array.from({ length: this.#options.count }, () => this.#add());
    const addresses = await Promise.all(workers.map(({ listening }) => listening));
    for (const worker of workers) this.#replaceAtExit(worker, 0);
    return addresses[0] ?? "";
  }

  /** Lets all workers serve for `delayMs`, and finish their requests in progress. Resolves when they have exited. */
  async stop(delayMs: number): Promise<void> {
    this.#isStopping = true;
    this.#heartbeat?.close();
    for (const restart of this.#restarts) clearTimeout(restart);
    const timeoutMs = delayMs + WORKER_STOP_TIMEOUT_MS;
    const timeout = setTimeout(() => {
      for (const worker of this.#workers) {
        this.#options.logger.error(
          `${worker.name} did not stop within ${timeoutMs / 1000} s: killing it`,
        );
        worker.kill();
      }
    }, timeoutMs);
    for (const worker of this.#workers) worker.stop(delayMs);
    await Promise.all([...this.#workers].map(({ exited }) => exited));
    clearTimeout(timeout);
  }

  #add(): WorkerProcess {
    const { variables, onMessage, onExit, logger } = this.#options;
    const worker = new WorkerProcess(cluster.fork(variables), (from, message) => {
      this.#heartbeat?.responded(from);
      onMessage(from, message);
    });
    this.#workers.add(worker);
    this.#heartbeat?.add(worker);
    void worker.exited.then(() => {
      this.#workers.delete(worker);
      this.#heartbeat?.remove(worker);
      onExit(worker);
    });
    worker.listening.then(
      () => logger.info(`${worker.name} is listening`),
      () => {},
    );
    return worker;
  }

  /** @param earlyExits how many of its predecessors in a row exited early */
  #replaceAtExit(worker: WorkerProcess, earlyExits: number): void {
    void worker.exited.then((reason) => {
      if (this.#isStopping) return;
      const exits = worker.servedMs >= STABLE_MS ? 0 : earlyExits + 1;
      // Without any worker, no request is served.
      const maxDelayMs = this.#workers.size === 0 ? FIRST_DELAY_MS : MAX_DELAY_MS;
      const delayMs = exits < 2 ? 0 : Math.min(FIRST_DELAY_MS * 2 ** (exits - 2), maxDelayMs);
      const delay = delayMs === 0 ? "" : ` in ${delayMs / 1000} s`;
      this.#options.logger.error(`${worker.name} ${reason}: a replacement starts${delay}`);
      const restart = setTimeout(() => {
        this.#restarts.delete(restart);
        this.#metrics.restarts.inc();
        this.#replaceAtExit(this.#add(), exits);
      }, delayMs);
      this.#restarts.add(restart);
    });
  }
}
