import { isReportedName, toReportedName } from "flags-engine";
import type { FeatureUsage } from "flags-sdk";
import { isRecord } from "flags-server-kit/neutral";
import type { ApplicationUsage } from "../../upstream/usage/application-usage.ts";
import { MAX_VARIANTS } from "../../upstream/usage/usage-buffer.ts";
import type { KeyKind } from "../access/grant.ts";
import { badField, type HttpError } from "../http/errors.ts";
import { explainBody } from "../http/validation.ts";
import { parseImpactMetrics } from "./impact-metrics.ts";
import { COUNT_DIGITS, MAX_REPORTED_TOGGLES, UsageBody } from "./schemas.ts";

/** Maximum number of flags and variants, in total, in one report. */
const MAX_REPORTED_NAMES = 50_000;

/**
 * The largest count in a report, by the kind of its key. No client evaluates a flag this often between two
 * reports, and a million reports with such counts still add up to what flags-admin accepts. A server token
 * can belong to another proxy, which sends such sums.
 */
const MAX_COUNTS: Readonly<Record<KeyKind, number>> = { client: 1e9, server: 1e15 };

/** The application that usage counts as if a report has no name. */
const UNKNOWN_APPLICATION = "unknown";

/** What a report is parsed with. */
export interface ParseOptions {
  /** Replaces start times that are missing, invalid, in the future or sent by a client. */
  readonly nowMs: number;
  readonly quotaId: string;
  readonly keyKind: KeyKind;
}

interface ReportedUsage {
  readonly usage: ApplicationUsage;
  /** Number of flags and variants with invalid names, which were skipped. */
  readonly invalidCount: number;
}

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
  const { appName, bucket, impactMetrics: impact } = isRecord(report) ? report : {};
  const { start, toggles } = isRecord(bucket) ? bucket : { start: null, toggles: bucket ?? {} };
  const features = isTime(start) ? reader.readToggles(toggles) : undefined;
  const hasName = typeof appName === "string" || appName === null;
  if (!hasName || features === undefined) throw explainBody(UsageBody, report);
  const impactMetrics = parseImpactMetrics(impact);
  const usage = {
    appName: toReportedName(appName || UNKNOWN_APPLICATION),
    // NOTE: the usage of all clients of an application is sent in one report with the earliest start, under which some
    // versions of Unleash store it. A client must not be able to move the usage of others to another year.
    startMs: keyKind === "client" ? nowMs : parseStartMs(start, nowMs),
    features,
    quotaId,
    ...(impactMetrics.length > 0 && { impactMetrics }),
  };
  return { usage, invalidCount: reader.invalidCount };
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
    const read = readMetric(metric, reader);
    if (read === undefined) {
      reader.invalidCount += 1;
      continue;
    }
    const appName = toReportedName(read.appName);
    const startMs = parseStartMs(read.timestamp, nowMs);
    const key = JSON.stringify([startMs, appName]);
    // NOTE: no prototype, since a flag can be named `__proto__`.
    const usage = usages.get(key) ?? { appName, startMs, quotaId, features: Object.create(null) };
    const sum = (usage.features[read.featureName] ??= { yes: 0, no: 0 });
    addTo(sum, read.counts);
    usages.set(key, usage);
  }
  if (usages.size === 0 && metrics.length > 0) {
    throw badField(
      "metrics.0",
      `must have a valid \`featureName\`, an \`appName\`, counts of at least 0 and at most ${MAX_VARIANTS} variants; no other entry is valid either`,
    );
  }
  return { usages: [...usages.values()], invalidCount: reader.invalidCount };
}

/** Reads the usage of one flag by one application; undefined if it is invalid. */
function readMetric(sent: unknown, reader: CountReader) {
  if (!isRecord(sent)) return undefined;
  const { featureName, appName, timestamp, variants } = sent;
  if (typeof appName !== "string" || appName === "") return undefined;
  if (typeof featureName !== "string" || !isReportedName(featureName)) return undefined;
  if (!isTime(timestamp) || hasManyVariants(variants)) return undefined;
  const counts = reader.readToggle(sent);
  return counts && { featureName, appName, timestamp, counts };
}

/** The sum of several entries for one flag. */
interface Sum {
  yes: number;
  no: number;
  variants?: Record<string, number>;
}

function addTo(sum: Sum, { yes, no, variants }: FeatureUsage): void {
  sum.yes += yes;
  sum.no += no;
  if (variants === undefined) return;
  sum.variants ??= Object.create(null) as Record<string, number>;
  for (const name of Object.keys(variants)) {
    sum.variants[name] = (sum.variants[name] ?? 0) + (variants[name] ?? 0);
  }
}

const DIGITS = new RegExp(COUNT_DIGITS);

/**
 * Reads the counts of flags. NOTE: a schema would take several times as long, because reports contain very many values. So
 * each method checks what the schema does, and returns undefined for a value that does not match it.
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
  readToggles(sent: unknown): Record<string, FeatureUsage> | undefined {
    if (!isRecord(sent)) return undefined;
    const names = Object.keys(sent);
    if (names.length > MAX_REPORTED_TOGGLES) return undefined;
    // NOTE: no prototype, since a flag can be named `__proto__`.
    const features = Object.create(null) as Record<string, FeatureUsage>;
    // NOTE: reads values by name, since creating a list of entries costs more than everything else here.
    for (const name of names) {
      const toggle = sent[name];
      if (isRecord(toggle) && hasManyVariants(toggle["variants"])) {
        throw badToggles(
          `has a toggle with more than ${MAX_VARIANTS} variants: send the rest in another bucket`,
        );
      }
      const usage = this.readToggle(toggle);
      if (usage === undefined) return undefined;
      if (this.#accepts(name)) features[name] = usage;
    }
    if (this.#nameCount <= MAX_REPORTED_NAMES) return features;
    throw badToggles(
      `has more than ${MAX_REPORTED_NAMES} flags and variants: send several smaller reports`,
    );
  }

  readToggle(sent: unknown): FeatureUsage | undefined {
    if (!isRecord(sent)) return undefined;
    const yes = this.#readCount(sent["yes"]);
    const no = this.#readCount(sent["no"]);
    if (yes === undefined || no === undefined) return undefined;
    const sentVariants = sent["variants"] ?? undefined;
    if (sentVariants === undefined) return { yes, no };
    const variants = this.#readVariants(sentVariants);
    return variants && { yes, no, variants };
  }

  #readVariants(sent: unknown): FeatureUsage["variants"] | undefined {
    if (!isRecord(sent)) return undefined;
    const variants = Object.create(null) as Record<string, number>;
    for (const name of Object.keys(sent)) {
      const count = this.#readCount(sent[name]);
      if (count === undefined) return undefined;
      if (this.#accepts(name)) variants[name] = count;
    }
    return variants;
  }

  /** A missing count is 0. */
  #readCount(sent: unknown): number | undefined {
    if (sent === undefined || sent === null) return 0;
    const isCount =
      typeof sent === "string"
        ? DIGITS.test(sent)
        : typeof sent === "number" && sent >= 0 && sent < Infinity;
    return isCount ? Math.min(Math.trunc(Number(sent)), this.#maxCount) : undefined;
  }

  #accepts(name: string): boolean {
    this.#nameCount += 1;
    if (isReportedName(name)) return true;
    this.invalidCount += 1;
    return false;
  }
}

function hasManyVariants(sent: unknown): boolean {
  return isRecord(sent) && Object.keys(sent).length > MAX_VARIANTS;
}

function badToggles(message: string): HttpError {
  return badField("bucket.toggles", message);
}

/** Whether a time has one of the types that the schemas allow; others than numbers and text are ignored. */
function isTime(sent: unknown): boolean {
  return typeof sent !== "object" || sent === null;
}

function parseStartMs(start: unknown, nowMs: number): number {
  const ms = typeof start === "number" ? start : Date.parse(String(start));
  return ms >= 0 && ms <= nowMs ? ms : nowMs;
}
