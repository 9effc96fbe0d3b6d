import { isReportedName, toReportedName } from "flags-engine";
import type { FeatureUsage } from "flags-sdk";
import type { ApplicationUsage } from "../../upstream/usage/application-usage.ts";
import { USAGE_LIMITS } from "../../upstream/usage/usage-limits.ts";
import type { Static } from "typebox";
import type { KeyKind } from "../access/grant.ts";
import { badField, type HttpError } from "../http/errors.ts";
import { isValid } from "../http/validation.ts";
import { parseImpactMetrics } from "./impact-metrics.ts";
import { type ReportedCount, ReportedMetric, type UsageBody } from "./schemas.ts";

type Report = Static<typeof UsageBody>;
type Metric = Static<typeof ReportedMetric>;
type Variants = NonNullable<FeatureUsage["variants"]>;
type ReportedVariants = Readonly<Record<string, ReportedCount>>;
type Toggles = NonNullable<Report["bucket"]>["toggles"];

/** Maximum number of flags and variants, in total, in one report. */
const MAX_REPORTED_NAMES = 50_000;

/**
 * The largest count in a report, by the kind of its key. No client evaluates a flag this often between two
 * reports, and a million reports with such counts still add up to what flags-admin accepts. A server token
 * can belong to another proxy, which sends such sums.
 */
const MAX_COUNTS: Readonly<Record<KeyKind, number>> = { client: 1e9, server: 1e15 };

const { variantsPerFeature } = USAGE_LIMITS;

/** The application that usage counts as if a report has no name. */
const UNKNOWN_APPLICATION = "unknown";

/** What a report is parsed with. */
export interface ParseOptions {
  /** Replaces start times that are missing, invalid, in the future or sent by a client. */
  readonly nowMs: number;
  readonly quotaId: string;
  readonly keyKind: KeyKind;
}

/** The usage in a report. */
interface ReportedUsage {
  readonly usage: ApplicationUsage;
  /** Number of flags and variants with invalid names, which were skipped. */
  readonly invalidCount: number;
}

/**
 * Parses a usage report, and converts its counts in place: copying them takes longer. The cost depends on the number of
 * names in it, never on the counts. Flags and variants with invalid names are removed: an application can request any
 * flag, and must not lose the usage of the others.
 *
 * @throws {HttpError} 400 if it exceeds a limit
 */
export function parseUsage(
  report: Report,
  { nowMs, quotaId, keyKind }: ParseOptions,
): ReportedUsage {
  const appName = toReportedName(report.appName || UNKNOWN_APPLICATION);
  const impactMetrics = parseImpactMetrics(report.impactMetrics);
  const { features, invalidCount } = parseToggles(
    report.bucket?.toggles ?? {},
    MAX_COUNTS[keyKind],
  );
  const usage = {
    appName,
    // NOTE: the usage of all clients of an application is sent in one report with the earliest start, under which some
    // versions of Unleash store it. A client must not be able to move the usage of others to another year.
    startMs: keyKind === "client" ? nowMs : parseStartMs(report.bucket?.start, nowMs),
    features,
    quotaId,
    ...(impactMetrics.length > 0 && { impactMetrics }),
  };
  return { usage, invalidCount };
}

/** The usage in a bulk report. */
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
  const usages = new Map<string, ApplicationUsage & { features: Record<string, Sum> }>();
  const valid = metrics.filter(isMetric);
  if (valid.length === 0 && metrics.length > 0) throw explainInvalid(metrics[0]);
  let invalidCount = metrics.length - valid.length;
  for (const metric of valid) {
    const { featureName, variants } = metric;
    const appName = toReportedName(metric.appName);
    invalidCount += removeInvalidVariants(variants ?? {});
    const startMs = parseStartMs(metric.timestamp, nowMs);
    const key = JSON.stringify([startMs, appName]);
    // NOTE: no prototype, since a flag can be named `__proto__`.
    const usage = usages.get(key) ?? { appName, startMs, quotaId, features: Object.create(null) };
    const sum = usage.features[featureName] ?? { yes: 0, no: 0 };
    addTo(sum, parseFeatureUsage(metric, MAX_COUNTS[keyKind]));
    usage.features[featureName] = sum;
    usages.set(key, usage);
  }
  return { usages: [...usages.values()], invalidCount };
}

function isMetric(sent: unknown): sent is Metric {
  if (!isValid(ReportedMetric, sent)) return false;
  const { featureName, variants } = sent as Metric;
  if (Object.keys(variants ?? {}).length > variantsPerFeature) return false;
  return isReportedName(featureName);
}

function explainInvalid(first: unknown): HttpError {
  const problem = isValid(ReportedMetric, first)
    ? `has a featureName that is too long or contains U+0000, or more than ${variantsPerFeature} variants`
    : "must have `featureName` and `appName`, which are not empty, and counts of at least 0";
  return badField("metrics.0", `${problem}; no other entry is valid either`);
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

/** Where in the body of a report the toggles are. */
const TOGGLES = "bucket.toggles";

function parseToggles(
  toggles: Toggles,
  maxCount: number,
): Pick<ApplicationUsage, "features"> & Pick<ReportedUsage, "invalidCount"> {
  const features = toggles as Record<string, FeatureUsage>;
  let nameCount = 0;
  let invalidCount = 0;
  // NOTE: reads values by name, since creating a list of entries costs more than everything else here.
  for (const name of Object.keys(toggles)) {
    if (!isReportedName(name)) {
      Reflect.deleteProperty(toggles, name);
      invalidCount += 1;
      continue;
    }
    const toggle = toggles[name] ?? {};
    const variants = toggle.variants ?? {};
    nameCount += 1 + countVariants(variants);
    invalidCount += removeInvalidVariants(variants);
    if (!isUsage(toggle, maxCount)) features[name] = parseFeatureUsage(toggle, maxCount);
  }
  if (nameCount <= MAX_REPORTED_NAMES) return { features, invalidCount };
  throw badField(
    TOGGLES,
    `has more than ${MAX_REPORTED_NAMES} flags and variants: send several smaller reports`,
  );
}

function countVariants(variants: ReportedVariants): number {
  const { length } = Object.keys(variants);
  if (length <= variantsPerFeature) return length;
  throw badField(
    TOGGLES,
    `has a toggle with more than ${variantsPerFeature} variants: send the rest in another bucket`,
  );
}

/** Removes variants with invalid names; returns how many. */
function removeInvalidVariants(variants: ReportedVariants): number {
  const invalid = Object.keys(variants).filter((name) => !isReportedName(name));
  for (const name of invalid) Reflect.deleteProperty(variants, name);
  return invalid.length;
}

function parseStartMs(start: unknown, nowMs: number): number {
  const ms = typeof start === "number" ? start : Date.parse(String(start));
  return ms >= 0 && ms <= nowMs ? ms : nowMs;
}

/** Whether a toggle has exactly the fields of `FeatureUsage`, with integer counts within the limit. */
function isUsage(toggle: Toggles[string], maxCount: number): toggle is FeatureUsage {
  const { yes, no, variants } = toggle;
  if (!isCount(yes, maxCount) || !isCount(no, maxCount) || variants === null) return false;
  const members = variants === undefined ? 2 : 3;
  return Object.keys(toggle).length === members && areCounts(variants ?? {}, maxCount);
}

/** Parses the counts of one toggle. Missing counts are 0. */
function parseFeatureUsage({ yes, no, variants }: Toggles[string], maxCount: number): FeatureUsage {
  const counts = { yes: toCount(yes, maxCount), no: toCount(no, maxCount) };
  return variants ? { ...counts, variants: parseVariants(variants, maxCount) } : counts;
}

function parseVariants(variants: ReportedVariants, maxCount: number): Variants {
  if (areCounts(variants, maxCount)) return variants;
  const counts = variants as Record<string, number>;
  for (const name of Object.keys(variants)) counts[name] = toCount(variants[name], maxCount);
  return counts;
}

function areCounts(variants: ReportedVariants, maxCount: number): variants is Variants {
  return Object.values(variants).every((count) => isCount(count, maxCount));
}

function isCount(count: unknown, maxCount: number): count is number {
  return Number.isInteger(count) && Number(count) <= maxCount;
}

function toCount(count: ReportedCount | undefined, maxCount: number): number {
  return Math.min(Math.trunc(Number(count ?? 0)), maxCount);
}
