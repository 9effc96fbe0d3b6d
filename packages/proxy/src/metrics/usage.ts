import { UpstreamSource } from "../upstream/upstream-source.ts";
import type { UsageSpoolState } from "../upstream/usage/spool/usage-spool.ts";
import { createLabelledCounter, createLabelledGauge } from "flags-server-kit/http";
import { Counter, type Registry } from "prom-client";
import type { Source } from "../sources.ts";
import { METRICS_PREFIX } from "./prefix.ts";

/** Counters of usage reports. */
export interface UsageMetrics {
  readonly entries: Counter;
  readonly invalid: Counter;
  readonly refused: Counter;
  readonly dropped: Counter<"kind">;
}

/** Creates the counters of usage reports. */
export function createUsageMetrics(registry: Registry): UsageMetrics {
  const registers = [registry];
  return {
    entries: new Counter({
      name: `${METRICS_PREFIX}_usage_entries_total`,
      help: "Flags in accepted usage reports, which are or will be sent upstream",
      registers,
    }),
    invalid: new Counter({
      name: `${METRICS_PREFIX}_usage_invalid_total`,
      help: "Invalid entries of usage reports, which were ignored",
      registers,
    }),
    refused: new Counter({
      name: `${METRICS_PREFIX}_usage_refused_total`,
      help: "Usage reports that were rejected because too much usage was waiting to be sent upstream",
      registers,
    }),
    dropped: new Counter({
      name: `${METRICS_PREFIX}_usage_dropped_total`,
      help: "Parts of usage reports that were not sent upstream, because of a limit or because the key or the upstream does not accept them",
      labelNames: ["kind"],
      registers,
    }),
  };
}

/** Counts accepted usage that was delivered or dropped. */
export function countDeliveredUsage(
  registry: Registry,
  { dropped }: Pick<UsageMetrics, "dropped">,
  sources: readonly Source[],
): void {
  const delivered = new Counter({
    name: `${METRICS_PREFIX}_usage_delivered_total`,
    help: "Per-application flag counts that the upstream accepted",
    labelNames: ["source"],
    registers: [registry],
  });
  for (const { name: source, flags } of sources) {
    if (!(flags instanceof UpstreamSource)) continue;
    delivered.inc({ source }, 0);
    flags.on("sent", ({ bucket }) => delivered.inc({ source }, Object.keys(bucket.toggles).length));
    flags.events.on("usageDropped", (kind, count) => dropped.inc({ kind }, count));
  }
}

/** How often one flag was on and off, as one application reported it. */
interface FlagUsageTotals {
  readonly source: string;
  readonly flag: string;
  readonly application: string;
  readonly yes: number;
  readonly no: number;
}

const RESULTS = ["yes", "no"] as const;

/** Exports the usage of each flag. */
export function observeFlagUsage(
  registry: Registry,
  usage: { readonly totals: () => readonly FlagUsageTotals[] },
): void {
  createLabelledCounter(registry, {
    name: `${METRICS_PREFIX}_flag_usage_total`,
    help: "How often flags were on (yes) and off (no), as applications reported it",
    labelNames: ["source", "flag", "application", "result"],
    read: () =>
      usage.totals().flatMap(({ source, flag, application, ...counts }) =>
        RESULTS.map((result) => ({
          labels: { source, flag, application, result },
          value: counts[result],
        })),
      ),
  });
}

interface Spool {
  readonly source: string;
  readonly read: () => UsageSpoolState | undefined;
}

type Select = (state: UsageSpoolState) => number;

const PREFIX = `${METRICS_PREFIX}_usage_spool`;

/** Exports the state of the usage spools, if there are any. */
export function observeSpools(registry: Registry, sources: readonly Source[]): void {
  const spools = sources.flatMap(({ name, flags }) =>
    flags instanceof UpstreamSource && flags.usageSpool !== undefined
      ? [{ source: name, read: () => flags.usageSpool }]
      : [],
  );
  if (spools.length === 0) return;
  createGauges(registry, spools);
  createCounters(registry, spools);
}

function createGauges(registry: Registry, spools: readonly Spool[]): void {
  const createGauge = (name: string, help: string, select: Select): void =>
    createLabelledGauge(registry, {
      name: `${PREFIX}_${name}`,
      help,
      labelNames: ["source"],
      read: () => readEach(spools, select),
    });
  createGauge("bytes", "Size of the usage spool in bytes", ({ bytes }) => bytes);
  createGauge(
    "limit_bytes",
    "Maximum size of the usage spool in bytes",
    ({ maxBytes }) => maxBytes,
  );
  createGauge(
    "writable",
    "1 while accepted usage is written to the spool; 0 while it is only in memory",
    ({ isWritable }) => Number(isWritable),
  );
}

function createCounters(registry: Registry, spools: readonly Spool[]): void {
  const createCounter = (name: string, help: string, select: Select): void =>
    createLabelledCounter(registry, {
      name: `${PREFIX}_${name}_total`,
      help,
      labelNames: ["source"],
      read: () => readEach(spools, select),
    });
  createCounter(
    "written",
    "Usage records written to disk before they were acknowledged",
    ({ written }) => written,
  );
  createCounter(
    "unwritten",
    "Usage records acknowledged before they were written to disk, because writing failed or took too long",
    ({ unwritten }) => unwritten,
  );
  createCounter(
    "restored",
    "Applications whose usage an earlier process had left in the spool",
    ({ restoredApplications }) => restoredApplications,
  );
  createCounter(
    "damaged_lines",
    "Spool lines that could not be read",
    ({ damagedLines }) => damagedLines,
  );
}

function readEach(spools: readonly Spool[], select: Select) {
  return spools.flatMap(({ source, read }) => {
    const state = read();
    return state === undefined ? [] : [{ labels: { source }, value: select(state) }];
  });
}
