import { FlagsClient, type FlagSource } from "flags-sdk";
import { Counter, Gauge, type Registry } from "prom-client";

/** Shows what the sources of an app are doing. */
export function observeSources(registry: Registry, sources: readonly FlagSource[]): void {
  gaugeSources(registry, sources);
  countFaults(registry, sources);
}

function gaugeSources(registry: Registry, sources: readonly FlagSource[]): void {
  const gauge = (name: string, help: string, read: () => number): Gauge =>
    new Gauge({
      name,
      help,
      registers: [registry],
      // Of several processes with the same flags, the latest one counts.
      aggregator: "max",
      collect() {
        this.set(read());
      },
    });

  gauge(
    "last_metrics_update_epoch_timestamp_ms",
    "When the proxy last received a feature update, in epoch milliseconds",
    () => latest(sources.map((source) => source.lastUpdateAtMs)),
  );
  gauge(
    "last_metrics_fetch_epoch_timestamp_ms",
    "When the proxy last checked for feature updates, in epoch milliseconds",
    () => latest(sources.map((source) => source.lastFetchAtMs)),
  );
  gauge("flags_proxy_flags", "Flags in force", () =>
    sources.reduce((sum, source) => sum + (source.snapshot?.flags.length ?? 0), 0),
  );
}

function countFaults(registry: Registry, sources: readonly FlagSource[]): void {
  const registers = [registry];
  const upstreamErrors = new Counter({
    name: "flags_proxy_upstream_errors_total",
    help: "Calls to the upstream that failed",
    registers,
  });
  const strategyErrors = new Counter({
    name: "flags_proxy_custom_strategy_errors_total",
    help: "Evaluations of custom strategies that failed",
    labelNames: ["strategy"],
    registers,
  });

  const usageDropped = new Counter({
    name: "flags_proxy_usage_dropped_total",
    help: "Parts of reports that are not sent upstream, because of a limit or because it rejected them",
    labelNames: ["kind"],
    registers,
  });

  for (const source of sources) {
    if (source instanceof FlagsClient) {
      source.on("usageDropped", (kind, count) => usageDropped.inc({ kind }, count));
    }
    source.on("strategyError", ({ strategy }) => strategyErrors.inc({ strategy }));
    if (source instanceof FlagsClient) source.on("failure", () => upstreamErrors.inc());
    else source.on("error", () => upstreamErrors.inc());
  }
}

function latest(timestamps: readonly (number | undefined)[]): number {
  return Math.max(0, ...timestamps.map((moment) => moment ?? 0));
}
