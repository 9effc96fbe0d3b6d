import type { FlagSource } from "flags-sdk";
import { Counter, Gauge, type Registry } from "prom-client";

/** Shows what the sources of an app are doing. */
export function observeSources(registry: Registry, sources: readonly FlagSource[]): void {
  const registers = [registry];
  const gauge = (name: string, help: string, read: () => number): Gauge =>
    new Gauge({
      name,
      help,
      registers,
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
    sources.reduce((sum, source) => sum + (source.snapshot?.features.length ?? 0), 0),
  );
  countUpstreamErrors(registry, sources);
}

function countUpstreamErrors(registry: Registry, sources: readonly FlagSource[]): void {
  const errors = new Counter({
    name: "flags_proxy_upstream_errors_total",
    help: "Faults in talking to the upstream",
    registers: [registry],
  });
  for (const source of sources) source.on("error", () => errors.inc());
}

function latest(moments: readonly (number | undefined)[]): number {
  return Math.max(0, ...moments.map((moment) => moment ?? 0));
}
