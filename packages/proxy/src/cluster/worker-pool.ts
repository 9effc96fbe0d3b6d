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

/** Environment variables of all workers, such as the ports that they share. No port is 0. */
export type WorkerVariables = Readonly<Record<string, string>>;

/** What all workers are started with. */
export interface WorkerCall {
  readonly args: readonly string[];
  readonly variables: WorkerVariables;
}

interface WorkerPoolOptions extends WorkerCall {
  readonly count: number;
  /** Time after which an unresponsive worker is killed and replaced. */
  readonly workerTimeoutMs: number;
  readonly logger: Logger;
  /** Registry for the metrics of the pool. */
  readonly registry: Registry;
  readonly onMessage: (worker: WorkerPeer, message: ToPrimary) => void;
  readonly onExit: (worker: WorkerPeer) => void;
}

/** Keeps a number of workers running. */
export class WorkerPool {
  readonly #options: WorkerPoolOptions;
  readonly #metrics: WorkerMetrics;
  readonly #delay = new RestartDelay();
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
   * Starts the workers. Resolves to their addresses, which are the same, when all of them listen.
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
    for (const [slot, worker] of workers.entries()) this.#replaceAtExit(worker, slot);
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

  #replaceAtExit(worker: WorkerProcess, slot: number): void {
    void worker.exited.then((reason) => {
      if (this.#isStopping) return;
      const { servedMs } = worker;
      const delayMs = this.#delay.nextMs({ slot, servedMs, isLast: this.#workers.size === 0 });
      const delay = delayMs === 0 ? "" : ` in ${delayMs / 1000} s`;
      this.#options.logger.error(`${worker.name} ${reason}: a replacement starts${delay}`);
      const restart = setTimeout(() => {
        this.#restarts.delete(restart);
        this.#metrics.restarts.inc();
        this.#replaceAtExit(this.#add(), slot);
      }, delayMs);
      this.#restarts.add(restart);
    });
  }
}

/** A worker that served for at least this long is replaced without a delay. */
const STABLE_MS = 10_000;
const FIRST_DELAY_MS = 1000;
const MAX_DELAY_MS = 30_000;
/** Maximum number of consecutive replacements without a delay when no other worker is left. */
const MAX_IMMEDIATE_STARTS = 5;

/** The exit of a worker. */
export interface WorkerExit {
  /** The index of the worker, which its replacement inherits. */
  readonly slot: number;
  /** How long the worker served; 0 if it never did. */
  readonly servedMs: number;
  /** Whether no other worker is running or starting. */
  readonly isLast: boolean;
}

/**
 * Decides how long to wait before a worker is replaced. A stable worker is replaced immediately. A
 * worker that repeatedly exits early is in a crash loop: the delay doubles from one second to
 * thirty, for each slot separately. If no other worker is left, the first replacements
 * nevertheless start immediately, and later ones after at most one second, so that requests are not
 * refused for long.
 */
export class RestartDelay {
  readonly #earlyExits = new Map<number, number>();
  #immediateStarts = 0;

  /** Returns the delay in milliseconds. */
  nextMs({ slot, servedMs, isLast }: WorkerExit): number {
    if (servedMs >= STABLE_MS) {
      this.#earlyExits.delete(slot);
      this.#immediateStarts = 0;
      return 0;
    }
    const earlyExits = (this.#earlyExits.get(slot) ?? 0) + 1;
    this.#earlyExits.set(slot, earlyExits);
    const delayMs = earlyExits < 2 ? 0 : FIRST_DELAY_MS * 2 ** (earlyExits - 2);
    if (!isLast) return Math.min(delayMs, MAX_DELAY_MS);
    this.#immediateStarts += 1;
    return this.#immediateStarts > MAX_IMMEDIATE_STARTS ? Math.min(delayMs, FIRST_DELAY_MS) : 0;
  }
}
