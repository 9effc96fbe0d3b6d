import type { ImpactMetric, ImpactSample } from "../../upstream/usage/application-usage.ts";
import { isRecord } from "flags-server-kit/neutral";

const MAX_METRICS = 100;
const MAX_SAMPLES = 500;
const MAX_LABELS = 20;
const MAX_BUCKETS = 100;
const MAX_TEXT_LENGTH = 255;
/** Sums of larger values lose precision, and many of them add up to infinity. */
const LARGEST_VALUE = 1e15;

/**
 * Parses the impact metrics of a usage report. Skips metrics and samples that are invalid or exceed a
 * limit, so that they never cause the usage in the same report to be lost.
 */
export function parseImpactMetrics(sent: unknown): readonly ImpactMetric[] {
  if (!Array.isArray(sent)) return [];
  return sent.slice(0, MAX_METRICS).flatMap(parseMetric);
}

function parseMetric(sent: unknown): readonly ImpactMetric[] {
  if (!isRecord(sent)) return [];
  const { name, help = "", type, samples } = sent;
  if (!isText(name) || name === "" || !isText(help) || !isType(type)) return [];
  if (!Array.isArray(samples)) return [];
  const read = samples
    .slice(0, MAX_SAMPLES)
    .flatMap((sample) => (type === "histogram" ? parseHistogram(sample) : parseNumeric(sample)));
  return read.length === 0 ? [] : [{ name, help, type, samples: read }];
}

function parseNumeric(sent: unknown): readonly ImpactSample[] {
  if (!isRecord(sent) || !isValue(sent["value"])) return [];
  const labels = parseLabels(sent["labels"]);
  return labels === undefined ? [] : [{ labels, value: sent["value"] }];
}

function parseHistogram(sent: unknown): readonly ImpactSample[] {
  if (!isRecord(sent)) return [];
  const { count, sum, buckets } = sent;
  const labels = parseLabels(sent["labels"]);
  if (labels === undefined || !isCount(count) || !isValue(sum) || !Array.isArray(buckets))
    return [];
  if (buckets.length > MAX_BUCKETS || !buckets.every(isBucket)) return [];
  return [
    {
      labels,
      count,
      sum,
      buckets: buckets.map(({ le, count: inBucket }) => ({ le, count: inBucket })),
    },
  ];
}

function isBucket(sent: unknown): sent is { readonly le: number | "+Inf"; readonly count: number } {
  if (!isRecord(sent) || !isCount(sent["count"])) return false;
  return isValue(sent["le"]) || sent["le"] === "+Inf";
}

function parseLabels(sent: unknown): Readonly<Record<string, string>> | undefined {
  const entries = Object.entries(isRecord(sent) ? sent : {});
  if (entries.length > MAX_LABELS || !entries.every((entry) => entry.every(isText)))
    return undefined;
  return Object.fromEntries(entries) as Record<string, string>;
}

function isType(sent: unknown): sent is ImpactMetric["type"] {
  return sent === "counter" || sent === "gauge" || sent === "histogram";
}

function isText(sent: unknown): sent is string {
  return typeof sent === "string" && sent.length <= MAX_TEXT_LENGTH && !sent.includes("\0");
}

function isValue(sent: unknown): sent is number {
  return typeof sent === "number" && Math.abs(sent) <= LARGEST_VALUE;
}

function isCount(sent: unknown): sent is number {
  return isValue(sent) && sent >= 0;
}
