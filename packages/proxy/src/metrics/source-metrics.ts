import { MetricSet } from "flags-server-kit/http";
import type { Registry } from "prom-client";
import { ageMsOf } from "../sources/age.ts";
import type { Source } from "../sources/sources.ts";
import { proxyMetrics, valuesOf } from "./metric-set.ts";
import type { Metrics } from "./metrics.ts";
import { observeStores } from "./store-metrics.ts";
import { countDeliveredUsage, observeSpools } from "./usage-metrics.ts";

/** With workers, all processes have the same flags: the most recent value counts. */
const AGGREGATOR = "max";

export function observeSources(
  { registry, usage }: Pick<Metrics, "registry" | "usage">,
  sources: readonly Source[],
): void {
  observeFlags(registry, sources);
  countFailures(registry, sources);
  observeStores(registry, sources);
  countDeliveredUsage(registry, usage, sources);
  observeSpools(registry, sources);
}

function observeFlags(registry: Registry, sources: readonly Source[]): void {
  const metrics = proxyMetrics(registry);
  const gaugePerSource = (
    name: string,
    help: string,
    read: (source: Source) => number | undefined,
  ): void => metrics.gauge(name, help, ["source"], () => valuesOf(sources, read), AGGREGATOR);

  // The names of the Unleash proxy have no prefix.
  const unprefixed = new MetricSet(registry);
  unprefixed.gauge(
    "last_metrics_update_epoch_timestamp_ms",
    "When the proxy last received new flags, in epoch milliseconds",
    [],
    () => latest(sources.map(({ flags }) => flags.lastUpdateAtMs)),
    AGGREGATOR,
  );
  unprefixed.gauge(
    "last_metrics_fetch_epoch_timestamp_ms",
    "When the proxy last checked for new flags, in epoch milliseconds",
    [],
    () => latest(sources.map(({ flags }) => flags.lastFetchAtMs)),
    AGGREGATOR,
  );
  metrics.gauge(
    "flags",
    "Flags in the current snapshots",
    [],
    () => sources.reduce((sum, source) => sum + countFlags(source), 0),
    AGGREGATOR,
  );
  gaugePerSource("source_flags", "Flags in the current snapshot of the source", countFlags);
  gaugePerSource(
    "source_flags_fallen",
    "1 after the number of flags has fallen to none or below half, until it recovers",
    ({ flags }) => Number(flags.fall !== undefined),
  );
  gaugePerSource(
    "source_last_update_timestamp_seconds",
    "When the source last received new flags; 0 if never",
    ({ flags }) => (flags.lastUpdateAtMs ?? 0) / 1000,
  );
  gaugePerSource(
    "source_last_fetch_timestamp_seconds",
    "When the upstream last responded to the source; 0 if never",
    ({ flags }) => (flags.lastFetchAtMs ?? 0) / 1000,
  );
  gaugePerSource(
    "source_age_seconds",
    "How long ago the flags of the source were last confirmed; missing if they never were",
    ({ flags }) => {
      const ageMs = ageMsOf(flags);
      return ageMs === undefined ? undefined : ageMs / 1000;
    },
  );
}

function countFlags({ flags }: Source): number {
  return flags.snapshot?.flags.length ?? 0;
}

function countFailures(registry: Registry, sources: readonly Source[]): void {
  const metrics = proxyMetrics(registry);
  const help = "Requests to the upstream that failed";
  const upstreamErrors = metrics.counter("upstream_errors_total", help);
  const sourceErrors = metrics.counter("source_errors_total", `${help}, by source`, ["source"]);
  const strategyErrors = metrics.counter(
    "custom_strategy_errors_total",
    "Evaluations of custom strategies that failed",
    ["strategy"],
  );
  for (const { name: source, flags, onFailure } of sources) {
    sourceErrors.inc({ source }, 0);
    onFailure(() => {
      upstreamErrors.inc();
      sourceErrors.inc({ source });
    });
    flags.on("strategyError", ({ strategy }) => strategyErrors.inc({ strategy }));
  }
}

function latest(timestamps: readonly (number | undefined)[]): number {
  return Math.max(0, ...timestamps.map((timestamp) => timestamp ?? 0));
}
