import { Counter, Gauge, type Registry } from "prom-client";

/** What there is to count about workers. */
export interface PoolMetrics {
  readonly running: Gauge;
  readonly restarts: Counter;
  readonly unresponsive: Counter;
}

/** Creates the metrics of a pool of workers. */
export function createPoolMetrics(registry: Registry): PoolMetrics {
  const registers = [registry];
  return {
    running: new Gauge({
      name: "flags_proxy_workers",
      help: "Worker processes that run",
      registers,
    }),
    restarts: new Counter({
      name: "flags_proxy_worker_restarts_total",
      help: "Worker processes that ended and were replaced",
      registers,
    }),
    unresponsive: new Counter({
      name: "flags_proxy_workers_unresponsive_total",
      help: "Worker processes that did not respond and were killed",
      registers,
    }),
  };
}
