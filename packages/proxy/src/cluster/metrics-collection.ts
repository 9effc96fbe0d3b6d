import { AggregatorRegistry, type Registry } from "prom-client";
import type { MetricValues, WorkerPeer } from "./messages.ts";

/** Then the last known metrics of a worker are used. */
const REPLY_TIMEOUT_MS = 2000;

const CUMULATIVE_TYPES: ReadonlySet<unknown> = new Set(["counter", "histogram"]);

/**
 * Adds up the metrics of all processes, including the counters of those that have exited: Prometheus interprets a
 * decreasing counter as a restart.
 */
export class MetricsCollection {
  readonly #registry: Registry;
  readonly #latest = new Map<WorkerPeer, MetricValues>();
  readonly #waitingFor = new Map<WorkerPeer, () => void>();
  /** The sum of the counters of exited workers. */
  #exitedValues: Promise<MetricValues> = Promise.resolve([]);
  #reading: Promise<string> | undefined;

  /** @param registry the metrics of the primary process */
  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /** Returns all metrics as text. Concurrent calls share one collection. */
  read(workers: Iterable<WorkerPeer>): Promise<string> {
    this.#reading ??= this.#read(workers).finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  accept(worker: WorkerPeer, metrics: MetricValues): void {
    this.#latest.set(worker, metrics);
    this.#waitingFor.get(worker)?.();
  }

  leave(worker: WorkerPeer): void {
    const last = this.#latest.get(worker);
    this.#latest.delete(worker);
    if (last !== undefined) {
      this.#exitedValues = this.#exitedValues.then((values) => sumCounters([values, last]));
    }
    this.#waitingFor.get(worker)?.();
    this.#waitingFor.delete(worker);
  }

  async #read(workers: Iterable<WorkerPeer>): Promise<string> {
    const replies = Promise.all([...workers].map((worker) => this.#collect(worker)));
    const timeout = new Promise((resolve) => setTimeout(resolve, REPLY_TIMEOUT_MS).unref());
    await Promise.race([replies, timeout]);
    // NOTE: read together, so that a worker that exits between the two is counted once.
    const [latest, exitedValues] = [[...this.#latest.values()], this.#exitedValues];
    const own = await this.#registry.getMetricsAsJSON();
    return aggregate([own, ...latest, await exitedValues]).metrics();
  }

  #collect(worker: WorkerPeer): Promise<void> {
    return new Promise((resolve) => {
      this.#waitingFor.set(worker, resolve);
      worker.send({ kind: "collect" });
    });
  }
}

function aggregate(processes: readonly MetricValues[]) {
  return AggregatorRegistry.aggregate(processes.map((values) => values.map(withAggregator)));
}

async function sumCounters(processes: readonly MetricValues[]): Promise<MetricValues> {
  const values = await aggregate(processes).getMetricsAsJSON();
  return values.filter(({ type }) => CUMULATIVE_TYPES.has(type));
}

/** The library omits the start time. Of several processes, the earliest one counts. */
function withAggregator(metric: MetricValues[number]): MetricValues[number] {
  if (metric.name !== "process_start_time_seconds") return metric;
  return { ...metric, aggregator: "min" };
}
