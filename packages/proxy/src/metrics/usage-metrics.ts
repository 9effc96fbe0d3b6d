import type { Registry } from "prom-client";
import type { Source } from "../sources/sources.ts";
import { UpstreamSource } from "../upstream/upstream-source.ts";
import type { UsageSpoolState } from "../upstream/usage/spool/usage-spool.ts";
import { proxyMetrics, valuesOf } from "./metric-set.ts";

export type UsageMetrics = ReturnType<typeof createUsageMetrics>;

export function createUsageMetrics(registry: Registry) {
  const metrics = proxyMetrics(registry);
  return {
    entries: metrics.counter(
      "usage_entries_total",
      "Flags in accepted usage reports, which are or will be sent upstream",
    ),
    invalid: metrics.counter(
      "usage_invalid_total",
      "Invalid entries of usage reports, which were ignored",
    ),
    refused: metrics.counter(
      "usage_refused_total",
      "Usage reports that were rejected because too much usage was waiting to be sent upstream",
    ),
    dropped: metrics.counter(
      "usage_dropped_total",
      "Parts of usage reports that were not sent upstream, because of a limit or because the key or the upstream does not accept them",
      ["kind"],
    ),
  };
}

export function countDeliveredUsage(
  registry: Registry,
  { dropped }: Pick<UsageMetrics, "dropped">,
  sources: readonly Source[],
): void {
  const delivered = proxyMetrics(registry).counter(
    "usage_delivered_total",
    "Per-application flag counts that the upstream accepted",
    ["source"],
  );
  for (const { name: source, flags } of sources) {
    if (!(flags instanceof UpstreamSource)) continue;
    delivered.inc({ source }, 0);
    flags.on("sent", ({ bucket }) => delivered.inc({ source }, Object.keys(bucket.toggles).length));
    flags.events.on("usageDropped", (kind, count) => dropped.inc({ kind }, count));
  }
}

/** How often one flag was on and off, as one application reported it. */
export interface FlagUsageTotals {
  readonly source: string;
  readonly flag: string;
  readonly application: string;
  yes: number;
  no: number;
}

const RESULTS = ["yes", "no"] as const;

export function observeFlagUsage(
  registry: Registry,
  usage: { readonly totals: () => readonly Readonly<FlagUsageTotals>[] },
): void {
  proxyMetrics(registry).readCounter(
    "flag_usage_total",
    "How often flags were on (yes) and off (no), as applications reported it",
    ["source", "flag", "application", "result"],
    () =>
      usage.totals().flatMap(({ source, flag, application, ...counts }) =>
        RESULTS.map((result) => ({
          labels: { source, flag, application, result },
          value: counts[result],
        })),
      ),
  );
}

export function observeSpools(registry: Registry, sources: readonly Source[]): void {
  if (sources.every((source) => spoolOf(source) === undefined)) return;
  const metrics = proxyMetrics(registry);
  type Select = (state: UsageSpoolState) => number;
  const reader = (select: Select) => () =>
    valuesOf(sources, (source) => {
      const state = spoolOf(source);
      return state && select(state);
    });
  const gauge = (name: string, help: string, select: Select): void =>
    metrics.gauge(name, help, ["source"], reader(select));
  const counter = (name: string, help: string, select: Select): void =>
    metrics.readCounter(name, help, ["source"], reader(select));

  gauge("usage_spool_bytes", "Size of the usage spool in bytes", ({ bytes }) => bytes);
  gauge(
    "usage_spool_limit_bytes",
    "Maximum size of the usage spool in bytes",
    ({ maxBytes }) => maxBytes,
  );
  gauge(
    "usage_spool_writable",
    "1 while accepted usage is written to the spool; 0 while it is only in memory",
    ({ isWritable }) => Number(isWritable),
  );
  counter(
    "usage_spool_written_total",
    "Usage records written to disk before they were acknowledged",
    ({ written }) => written,
  );
  counter(
    "usage_spool_unwritten_total",
    "Usage records acknowledged before they were written to disk, because writing failed or took too long",
    ({ unwritten }) => unwritten,
  );
  counter(
    "usage_spool_restored_total",
    "Applications whose usage an earlier process had left in the spool",
    ({ restoredApplications }) => restoredApplications,
  );
  counter(
    "usage_spool_damaged_lines_total",
    "Spool lines that could not be read",
    ({ damagedLines }) => damagedLines,
  );
}

function spoolOf({ flags }: Source): UsageSpoolState | undefined {
  return flags instanceof UpstreamSource ? flags.usageSpool : undefined;
}
