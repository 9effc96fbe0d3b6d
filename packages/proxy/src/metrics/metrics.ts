import { createRegistry, createRequestObserver, type ObserveRequest } from "flags-service/http";
import { Counter, type Registry } from "prom-client";

/** What the proxy counts and measures, in a registry of its own. */
export interface Metrics {
  readonly registry: Registry;
  readonly observeRequest: ObserveRequest;
  readonly usageEntries: Counter;
}

const PREFIX = "flags_proxy";

/** Creates the metrics of one app. */
export function createMetrics(): Metrics {
  const registry = createRegistry(PREFIX, "the proxy");
  return {
    registry,
    observeRequest: createRequestObserver(registry, PREFIX),
    usageEntries: new Counter({
      name: `${PREFIX}_usage_entries_total`,
      help: "Toggles that clients reported usage of",
      registers: [registry],
    }),
  };
}
