import { collectDefaultMetrics, Counter, Histogram, Registry } from "prom-client";

/** What the proxy counts and measures, in a registry of its own. */
export interface Metrics {
  readonly registry: Registry;
  readonly requests: Counter<"method" | "route" | "status">;
  readonly requestDuration: Histogram<"route">;
  readonly usageEntries: Counter;
}

const DURATION_BUCKETS_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5];

/** Creates the metrics of one app. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  new Counter({ name: "flags_proxy_up", help: "1 while the proxy runs", registers }).inc();
  return {
    registry,
    requests: new Counter({
      name: "flags_proxy_http_requests_total",
      help: "Requests answered",
      labelNames: ["method", "route", "status"],
      registers,
    }),
    requestDuration: new Histogram({
      name: "flags_proxy_http_request_duration_seconds",
      help: "Time from the arrival of a request to the end of its answer",
      labelNames: ["route"],
      buckets: DURATION_BUCKETS_SECONDS,
      registers,
    }),
    usageEntries: new Counter({
      name: "flags_proxy_usage_entries_total",
      help: "Toggles that clients reported usage of",
      registers,
    }),
  };
}
