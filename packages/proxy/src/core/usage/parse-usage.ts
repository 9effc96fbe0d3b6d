import { isReportedName, toReportedName } from "flags-engine";
import type { FeatureUsage } from "flags-sdk";
import { isRecord } from "flags-server-kit/neutral";
import type { ApplicationUsage } from "../../upstream/usage/application-usage.ts";
import { addCounts, MAX_VARIANTS } from "../../upstream/usage/usage-buffer.ts";
import type { KeyKind } from "../access/grant.ts";
import { badField, type HttpError } from "../http/errors.ts";
import { explainBody } from "../http/validation.ts";
import { parseImpactMetrics } from "./impact-metrics.ts";
import { COUNT_DIGITS, MAX_REPORTED_TOGGLES, UsageBody } from "./schemas.ts";

/** Flags and variants, in total. */
const MAX_REPORTED_NAMES = 50_000;

/**
 * The largest count in a report, by the kind of its key. No client evaluates a flag this often between two
 * reports, and a million reports with such counts still add up to what flags-admin accepts. A server token
 * can belong to another proxy, which sends such sums.
 */
const MAX_COUNTS: Readonly<Record<KeyKind, number>> = { client: 1e9, server: 1e15 };

const UNKNOWN_APPLICATION = "unknown";

export interface ParseOptions {
  /** Replaces start times that are missing, invalid, in the future or sent by a client. */
  readonly nowMs: number;
  readonly quotaId: string;
  readonly keyKind: KeyKind;
}

interface ReportedUsage {
  readonly usage: ApplicationUsage;
  readonly invalidCount: number;
}

const MISMATCH = new Error("It does not match the schema");

/**
 * Parses and checks a usage report. The cost depends on the number of names in it, never on the counts. Flags and
 * variants with invalid names are skipped: an application can request any flag, and must not lose the usage of the others.
 *
 * @throws {HttpError} 400 if it is invalid, or exceeds a limit
 */
export function parseUsage(
  report: unknown,
  { nowMs, quotaId, keyKind }: ParseOptions,
): ReportedUsage {
  const reader = new CountReader(MAX_COUNTS[keyKind]);
  try {
    const { appName, bucket, impactMetrics: impact } = toRecord(report);
    const { start, toggles } = toRecord(bucket ?? { toggles: {} });
    checkTime(start);
    if (typeof appName !== "string" && appName !== null) throw MISMATCH;
    const impactMetrics = parseImpactMetrics(impact);
    const usage = {
      appName: toReportedName(appName || UNKNOWN_APPLICATION),
      // NOTE: the usage of all clients of an application is sent in one report with the earliest start, under which some
      // versions of Unleash store it. A client must not be able to move the usage of others to another year.
      startMs: keyKind === "client" ? nowMs : parseStartMs(start, nowMs),
      features: reader.readToggles(toggles),
      quotaId,
      ...(impactMetrics.length > 0 && { impactMetrics }),
    };
    return { usage, invalidCount: reader.invalidCount };
  } catch (error) {
    throw error === MISMATCH ? explainBody(UsageBody, report) : error;
  }
}

interface BulkUsage {
  /** One for each application and period. */
  readonly usages: readonly ApplicationUsage[];
  /** Number of invalid entries and variants, which were skipped. */
  readonly invalidCount: number;
}

/**
 * Parses a report for many applications. It comes from another proxy, which cannot correct an entry
 * that one of its clients sent: invalid entries are skipped, and the others are accepted.
 *
 * @throws {HttpError} 400 if none of the entries is valid
 */
export function parseBulkUsage(
  metrics: readonly unknown[],
  { nowMs, quotaId, keyKind }: ParseOptions,
): BulkUsage {
  const reader = new CountReader(MAX_COUNTS[keyKind]);
  const usages = new Map<string, ApplicationUsage & { features: Record<string, Sum> }>();
  for (const metric of metrics) {
    try {
      const { appName, featureName, timestamp, counts } = readMetric(metric, reader);
      const startMs = parseStartMs(timestamp, nowMs);
      const key = JSON.stringify([startMs, appName]);
      const usage = usages.get(key) ?? { appName, startMs, quotaId, features: withoutPrototype() };
      addTo((usage.features[featureName] ??= { yes: 0, no: 0 }), counts);
      usages.set(key, usage);
    } catch (error) {
      if (error !== MISMATCH) throw error;
      reader.invalidCount += 1;
    }
  }
  if (usages.size === 0 && metrics.length > 0) {
    throw badField(
      "metrics.0",
      `must have a valid \`featureName\`, an \`appName\`, counts of at least 0 and at most ${MAX_VARIANTS} variants; no other entry is valid either`,
    );
  }
  return { usages: [...usages.values()], invalidCount: reader.invalidCount };
}

function readMetric(sent: unknown, reader: CountReader) {
  const { featureName, appName, timestamp, ...toggle } = toRecord(sent);
  if (typeof appName !== "string" || appName === "") throw MISMATCH;
  if (typeof featureName !== "string" || !isReportedName(featureName)) throw MISMATCH;
  if (hasManyVariants(toggle)) throw MISMATCH;
  checkTime(timestamp);
  const counts = reader.readToggle(toggle);
  return { featureName, appName: toReportedName(appName), timestamp, counts };
}

interface Sum {
  yes: number;
  no: number;
  variants?: Record<string, number>;
}

/** NOTE: changes the sum, since a report can contain thousands of entries for one flag, each with other variants. */
function addTo(sum: Sum, { yes, no, variants = {} }: FeatureUsage): void {
  sum.yes = addCounts(sum.yes, yes);
  sum.no = addCounts(sum.no, no);
  for (const [name, count] of Object.entries(variants)) {
    sum.variants ??= withoutPrototype();
    sum.variants[name] = addCounts(sum.variants[name] ?? 0, count);
  }
}

/** NOTE: a flag or a variant can be named `__proto__`. */
const withoutPrototype = <Value>() => Object.create(null) as Record<string, Value>;

const DIGITS = new RegExp(COUNT_DIGITS);

/**
 * Reads the counts of flags. NOTE: a schema takes five times as long, because reports contain very many values. So
 * each method checks what the schema does.
 */
class CountReader {
  /** Number of flags and variants with invalid names, which were skipped. */
  invalidCount = 0;
  readonly #maxCount: number;
  #nameCount = 0;

  constructor(maxCount: number) {
    this.#maxCount = maxCount;
  }

  /** @throws {HttpError} 400 if a limit is exceeded */
  readToggles(sent: unknown): Record<string, FeatureUsage> {
    const toggles = toRecord(sent);
    const names = Object.keys(toggles);
    if (names.length > MAX_REPORTED_TOGGLES) throw MISMATCH;
    const features = withoutPrototype<FeatureUsage>();
    // NOTE: reads values by name, since creating a list of entries costs more than everything else here.
    for (const name of names) {
      const toggle = toRecord(toggles[name]);
      if (hasManyVariants(toggle)) {
        throw badToggles(
          `has a toggle with more than ${MAX_VARIANTS} variants: send the rest in another bucket`,
        );
      }
      const usage = this.readToggle(toggle);
      if (this.#accepts(name)) features[name] = usage;
    }
    if (this.#nameCount <= MAX_REPORTED_NAMES) return features;
    throw badToggles(
      `has more than ${MAX_REPORTED_NAMES} flags and variants: send several smaller reports`,
    );
  }

  readToggle({ yes, no, variants }: Readonly<Record<string, unknown>>): FeatureUsage {
    const counts = { yes: this.#readCount(yes), no: this.#readCount(no) };
    if (variants === undefined || variants === null) return counts;
    const sent = toRecord(variants);
    const read = withoutPrototype<number>();
    for (const name of Object.keys(sent)) {
      const count = this.#readCount(sent[name]);
      if (this.#accepts(name)) read[name] = count;
    }
    return { ...counts, variants: read };
  }

  /** A missing count is 0. */
  #readCount(sent: unknown): number {
    if (sent === undefined || sent === null) return 0;
    const isCount =
      typeof sent === "string"
        ? DIGITS.test(sent)
        : typeof sent === "number" && sent >= 0 && sent < Infinity;
    if (!isCount) throw MISMATCH;
    return Math.min(Math.trunc(Number(sent)), this.#maxCount);
  }

  #accepts(name: string): boolean {
    this.#nameCount += 1;
    if (isReportedName(name)) return true;
    this.invalidCount += 1;
    return false;
  }
}

function toRecord(sent: unknown): Readonly<Record<string, unknown>> {
  if (!isRecord(sent)) throw MISMATCH;
  return sent;
}

function hasManyVariants({ variants }: Readonly<Record<string, unknown>>): boolean {
  return isRecord(variants) && Object.keys(variants).length > MAX_VARIANTS;
}

function badToggles(message: string): HttpError {
  return badField("bucket.toggles", message);
}

/** The schemas allow all simple types; others than numbers and text are ignored. */
function checkTime(sent: unknown): void {
  if (typeof sent === "object" && sent !== null) throw MISMATCH;
}

function parseStartMs(start: unknown, nowMs: number): number {
  const ms = typeof start === "number" ? start : Date.parse(String(start));
  return ms >= 0 && ms <= nowMs ? ms : nowMs;
}
