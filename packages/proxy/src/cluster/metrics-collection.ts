import type { Registry } from "prom-client";
import { aggregate, lastingOf, type MetricValues } from "./metric-values.ts";
import type { WorkerPeer } from "./worker-peer.ts";

/** A worker that does not answer in time is shown as it was last seen. */
const ANSWER_LIMIT_MS = 2000;

/**
 * The metrics of all processes as those of one. What a worker counted stays counted when it ends:
 * a sum that fell would be taken for a restart of the whole, and its rest for new requests.
 */
export class MetricsCollection {
  readonly #registry: Registry;
  readonly #latest = new Map<WorkerPeer, MetricValues>();
  readonly #waiting = new Set<WorkerPeer>();
  readonly #ended = new WeakSet<WorkerPeer>();
  #departed: Promise<MetricValues> = Promise.resolve([]);
  #reading: Promise<string> | undefined;
  #onAnswered: () => void = () => {};

  /** @param registry metrics of this process */
  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /** All metrics as text. Who asks while they are being collected gets the same. */
  read(workers: Iterable<WorkerPeer>): Promise<string> {
    this.#reading ??= this.#read(workers).finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  /** Takes the answer of a worker. One that is heard after its end would count twice from then on. */
  accept(worker: WorkerPeer, metrics: MetricValues): void {
    if (this.#ended.has(worker)) return;
    this.#latest.set(worker, metrics);
    this.#settle(worker);
  }

  /** Keeps what a worker had counted when it was last asked. */
  leave(worker: WorkerPeer): void {
    this.#ended.add(worker);
    const last = this.#latest.get(worker);
    this.#latest.delete(worker);
    if (last !== undefined) {
      this.#departed = this.#departed.then((departed) => lastingOf([departed, last]));
    }
    this.#settle(worker);
  }

  async #read(workers: Iterable<WorkerPeer>): Promise<string> {
    await this.#ask(workers);
    // NOTE: taken together, so that a worker that leaves meanwhile is counted once.
    const [latest, departed] = [[...this.#latest.values()], this.#departed];
    const own = await this.#registry.getMetricsAsJSON();
    return aggregate([own, ...latest, await departed]).metrics();
  }

  #ask(workers: Iterable<WorkerPeer>): Promise<void> {
    return new Promise((resolve) => {
      for (const worker of workers) this.#waiting.add(worker);
      const limit = setTimeout(resolve, ANSWER_LIMIT_MS);
      this.#onAnswered = () => {
        clearTimeout(limit);
        resolve();
      };
      for (const worker of this.#waiting) worker.send({ kind: "collect" });
      this.#settle();
    });
  }

  #settle(worker?: WorkerPeer): void {
    if (worker !== undefined) this.#waiting.delete(worker);
    if (this.#waiting.size === 0) this.#onAnswered();
  }
}
