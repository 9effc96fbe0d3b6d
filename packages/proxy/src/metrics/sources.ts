import { createGauge, createLabelledGauge } from "flags-server-kit/http";
import { Counter, type Registry } from "prom-client";
import { ageMsOf } from "../age.ts";
import type { Source } from "../sources.ts";
import type { Metrics } from "./metrics.ts";
import { METRICS_PREFIX } from "./prefix.ts";
import { observeStores } from "./stores.ts";
import { countDeliveredUsage, observeSpools } from "./usage.ts";

/** Exports the state of sources, their stores and their usage, and counts their failures. */
export function observeSources(
  { registry, usage }: Pick<Metrics, "registry" | "usage">,
  sources: readonly Source[],
): void {
  createSourceGauges(registry, sources);
  countFailures(registry, sources);
  observeStores(registry, sources);
  countDeliveredUsage(registry, usage, sources);
  observeSpools(registry, sources);
}

function createSourceGauges(registry: Registry, sources: readonly Source[]): void {
  // With workers, all processes have the same flags: the most recent value counts.
  const aggregator = "max";
  const createGaugePerSource = (
    name: string,
    help: string,
    read: (source: Source) => number | undefined,
  ): void =>
    createLabelledGauge(registry, {
      name: `${METRICS_PREFIX}_${name}`,
      help,
      labelNames: ["source"],
      aggregator,
      read: () =>
        sources.flatMap((source) => {
          const value = read(source);
          return value === undefined ? [] : [{ labels: { source: source.name }, value }];
        }),
    });

  createGauge(registry, {
    name: "last_metrics_update_epoch_timestamp_ms",
    help: "When the proxy last received new flags, in epoch milliseconds",
    aggregator,
    read: () => latest(sources.map(({ flags }) => flags.lastUpdateAtMs)),
  });
  createGauge(registry, {
    name: "last_metrics_fetch_epoch_timestamp_ms",
    help: "When the proxy last checked for new flags, in epoch milliseconds",
    aggregator,
    read: () => latest(sources.map(({ flags }) => flags.lastFetchAtMs)),
  });
  createGauge(registry, {
    name: `${METRICS_PREFIX}_flags`,
    help: "Flags in the current snapshots",
    aggregator,
    read: () => sources.reduce((sum, source) => sum + countFlags(source), 0),
  });
  createGaugePerSource("source_flags", "Flags in the current snapshot of the source", countFlags);
  createGaugePerSource(
    "source_flags_fallen",
    "1 after the number of flags has fallen to none or below half, until it recovers",
    ({ flags }) => Number(flags.fall !== undefined),
  );
  createGaugePerSource(
    "source_last_update_timestamp_seconds",
    "When the source last received new flags; 0 if never",
    ({ flags }) => (flags.lastUpdateAtMs ?? 0) / 1000,
  );
  createGaugePerSource(
    "source_last_fetch_timestamp_seconds",
    "When the upstream last responded to the source; 0 if never",
    ({ flags }) => (flags.lastFetchAtMs ?? 0) / 1000,
  );
  createGaugePerSource(
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
  const registers = [registry];
  const upstreamErrors = new Counter({
    name: `${METRICS_PREFIX}_upstream_errors_total`,
    help: "Requests to the upstream that failed",
    registers,
  });
  const sourceErrors = new Counter({
    name: `${METRICS_PREFIX}_source_errors_total`,
    help: "Requests to the upstream that failed, by source",
    labelNames: ["source"],
    registers,
  });
  const strategyErrors = new Counter({
    name: `${METRICS_PREFIX}_custom_strategy_errors_total`,
    help: "Evaluations of custom strategies that failed",
    labelNames: ["strategy"],
    registers,
  });

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
