import type { Registry } from "prom-client";
import { proxyMetrics } from "./metric-set.ts";

export type WorkerMetrics = ReturnType<typeof createWorkerMetrics>;

export function createWorkerMetrics(registry: Registry, running: () => number) {
  const metrics = proxyMetrics(registry);
  metrics.gauge("workers", "Running worker processes", [], running);
  return {
    restarts: metrics.counter(
      "worker_restarts_total",
      "Worker processes that exited and were replaced",
    ),
    unresponsive: metrics.counter(
      "workers_unresponsive_total",
      "Worker processes that did not respond and were killed",
    ),
  };
}
