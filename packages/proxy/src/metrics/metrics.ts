import { createRegistry, createRequestObserver, type ObserveRequest } from "flags-server-kit/http";
import { Counter, type Registry } from "prom-client";

/** What the proxy counts of usage reports. */
export interface UsageMetrics {
  readonly usageEntries: Counter;
  readonly usageInvalid: Counter;
  readonly usageRefused: Counter;
}

/** What the proxy counts and measures, in a registry of its own. */
export interface Metrics extends UsageMetrics {
  readonly registry: Registry;
  readonly observeRequest: ObserveRequest;
  /** All of them as text, as Prometheus reads it. */
  readonly read: () => Promise<string>;
}

/** How the names of the proxy's own metrics begin. */
export const METRICS_PREFIX = "flags_proxy";

/** Creates the metrics of one app. */
export function createMetrics(): Metrics {
  const registry = createRegistry(METRICS_PREFIX, "the proxy");
  return {
    registry,
    read: () => registry.metrics(),
    observeRequest: createRequestObserver(registry, METRICS_PREFIX),
    usageEntries: new Counter({
      name: `${METRICS_PREFIX}_usage_entries_total`,
      help: "Toggles that clients reported usage of, and that are or will be sent upstream",
      registers: [registry],
    }),
    usageInvalid: new Counter({
      name: `${METRICS_PREFIX}_usage_invalid_total`,
      help: "Entries of bulk reports that were left out because they are invalid",
      registers: [registry],
    }),
    usageRefused: new Counter({
      name: `${METRICS_PREFIX}_usage_refused_total`,
      help: "Usage reports that were refused because too much of the same key was waiting to be sent upstream",
      registers: [registry],
    }),
  };
}
