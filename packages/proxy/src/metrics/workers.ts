import { Counter, Gauge, type Registry } from "prom-client";
import { METRICS_PREFIX } from "./prefix.ts";

/** Metrics of worker processes, in the primary process. */
export interface WorkerMetrics {
  readonly running: Gauge;
  readonly restarts: Counter;
  readonly unresponsive: Counter;
}

/** Creates the metrics of worker processes. */
export function createWorkerMetrics(registry: Registry): WorkerMetrics {
  const registers = [registry];
  return {
    running: new Gauge({
      name: `${METRICS_PREFIX}_workers`,
      help: "Running worker processes",
      registers,
    }),
    restarts: new Counter({
      name: `${METRICS_PREFIX}_worker_restarts_total`,
      help: "Worker processes that exited and were replaced",
      registers,
    }),
    unresponsive: new Counter({
      name: `${METRICS_PREFIX}_workers_unresponsive_total`,
      help: "Worker processes that did not respond and were killed",
      registers,
    }),
  };
}
