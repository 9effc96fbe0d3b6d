import { FlagsClient, type UsageSpoolState } from "flags-sdk";
import { createLabelledCounter, createLabelledGauge } from "flags-server-kit/http";
import type { Registry } from "prom-client";
import { METRICS_PREFIX } from "../metrics.ts";
import type { UpstreamSource } from "../sources.ts";

interface Spool {
  readonly source: string;
  readonly read: () => UsageSpoolState | undefined;
}

type Select = (state: UsageSpoolState) => number;

const PREFIX = `${METRICS_PREFIX}_usage_spool`;

/** Exports the state of the usage spools, if there are any. */
export function observeSpools(registry: Registry, sources: readonly UpstreamSource[]): void {
  const spools = sources.flatMap(({ name, flags }) =>
    flags instanceof FlagsClient && flags.usageSpool !== undefined
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
  createGauge("bytes", "Size of the files of the usage spool", ({ bytes }) => bytes);
  createGauge("limit_bytes", "Limit of this size", ({ maxBytes }) => maxBytes);
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
    "Parts of reports, and registrations, that were on the disk before they were confirmed",
    ({ written }) => written,
  );
  createCounter(
    "unwritten",
    "Parts of reports, and registrations, that were confirmed although they could not be written in time",
    ({ unwritten }) => unwritten,
  );
  createCounter(
    "restored",
    "Applications whose usage an earlier process had left in the spool",
    ({ restoredApplications }) => restoredApplications,
  );
  createCounter(
    "damaged_lines",
    "Lines of the spool that could not be read",
    ({ damagedLines }) => damagedLines,
  );
}

function readEach(spools: readonly Spool[], select: Select) {
  return spools.flatMap(({ source, read }) => {
    const state = read();
    return state === undefined ? [] : [{ labels: { source }, value: select(state) }];
  });
}
