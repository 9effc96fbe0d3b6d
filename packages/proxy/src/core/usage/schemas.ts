import { USAGE_LIMITS } from "../../upstream/usage/usage-limits.ts";
import { isRecord } from "flags-server-kit/neutral";
import { type Static, Type } from "typebox";
import { named } from "../http/named-schema.ts";

/** What the text of a count consists of. */
const COUNT_DIGITS = "^[0-9]+$";

/** A count. It can be text: the Unleash proxy accepted that too. */
const Count = Type.Unsafe<number | string | null>({
  type: ["number", "string", "null"],
  minimum: 0,
  pattern: COUNT_DIGITS,
});

/** A count as it is sent. */
export type ReportedCount = Static<typeof Count>;

/**
 * Counts of one flag.
 *
 * NOTE: no union types: for a union, the validator reports what each member expects, and these
 * messages contradict each other.
 */
const ToggleUsage = named("toggleUsageSchema", {
  yes: Type.Optional(Count),
  no: Type.Optional(Count),
  variants: Type.Optional(
    Type.Unsafe<Readonly<Record<string, ReportedCount>> | null>({
      type: ["object", "null"],
      additionalProperties: Count,
    }),
  ),
});

/** Maximum number of flags in one report. */
export const MAX_REPORTED_TOGGLES = 10_000;

const Bucket = Type.Object({
  start: Type.Optional(
    Type.Unsafe<string | number | boolean | null>({
      type: ["string", "number", "boolean", "null"],
    }),
  ),
  toggles: Type.Unsafe<Readonly<Record<string, Static<typeof ToggleUsage>>>>({
    type: "object",
    additionalProperties: ToggleUsage,
    maxProperties: MAX_REPORTED_TOGGLES,
  }),
});

/** Impact metrics of SDKs. Reading them skips invalid entries. */
const ImpactMetrics = Type.Unsafe<unknown>({
  description: "Counters, gauges and histograms, forwarded to the upstream",
});

/** A usage report of a client SDK. */
export const UsageBody = named("usageReportSchema", {
  appName: Type.Unsafe<string | null>({ type: ["string", "null"] }),
  bucket: Type.Optional(
    Type.Unsafe<Static<typeof Bucket> | null>({ ...Bucket, type: ["object", "null"] }),
  ),
  impactMetrics: Type.Optional(ImpactMetrics),
});

/** One entry of a bulk usage report: the usage of one flag by one application. */
export const ReportedMetric = named("reportedMetricSchema", {
  featureName: Type.String({ minLength: 1 }),
  appName: Type.String({ minLength: 1 }),
  timestamp: Type.Optional(
    Type.Unsafe<string | number | null>({
      type: ["string", "number", "null"],
      description: "Start of the hour; the current hour if it is missing",
    }),
  ),
  ...ToggleUsage.properties,
});

/** The registration of an SDK. Reading it checks the other fields. */
export const RegistrationBody = named("registrationSchema", {
  appName: Type.String({ minLength: 1 }),
});

/** The largest number of entries in a bulk report, of flags as well as of applications. */
const MAX_REPORTED_METRICS = 10_000;

/**
 * The usage of many applications, and their registrations, as a proxy reports them.
 *
 * NOTE: the elements are checked one by one when they are read, so that an invalid one does not cause
 * the others to be rejected.
 */
export const BulkUsageBody = named("bulkUsageReportSchema", {
  metrics: Type.Unsafe<readonly unknown[]>({
    type: "array",
    items: {},
    maxItems: MAX_REPORTED_METRICS,
    description: "Entries with `featureName`, `appName`, `timestamp`, `yes`, `no` and `variants`",
  }),
  applications: Type.Optional(
    Type.Unsafe<readonly unknown[] | null>({
      type: ["array", "null"],
      items: {},
      maxItems: MAX_REPORTED_METRICS,
      description: "Registrations, forwarded to the upstream",
    }),
  ),
  impactMetrics: Type.Optional(ImpactMetrics),
});

/**
 * Returns whether a body is certain to match `UsageBody`, or has a flag with too many variants, in a tenth of the time that
 * its schema takes: reports contain very many values. May return false for a valid body.
 */
export function isPlainUsage(body: unknown): boolean {
  return (
    isRecord(body) &&
    typeof body["appName"] === "string" &&
    body["appName"] !== "" &&
    isPlainBucket(body["bucket"])
  );
}

function isPlainBucket(bucket: unknown): boolean {
  if (!isRecord(bucket) || typeof bucket["start"] !== "string") return false;
  const { toggles } = bucket;
  if (!isRecord(toggles)) return false;
  const names = Object.keys(toggles);
  return (
    names.length <= MAX_REPORTED_TOGGLES && names.every((name) => isPlainToggle(toggles[name]))
  );
}

function isPlainToggle(toggle: unknown): boolean {
  if (!isRecord(toggle)) return false;
  const { yes, no, variants } = toggle;
  return isCount(yes) && isCount(no) && (variants === undefined || arePlainVariants(variants));
}

/** Does not read those of a flag with too many, which parsing rejects. */
function arePlainVariants(variants: unknown): boolean {
  if (!isRecord(variants)) return false;
  const names = Object.keys(variants);
  return (
    names.length > USAGE_LIMITS.variantsPerFeature || names.every((name) => isCount(variants[name]))
  );
}

const DIGITS = new RegExp(COUNT_DIGITS);

function isCount(value: unknown): boolean {
  if (typeof value === "string") return DIGITS.test(value);
  return typeof value === "number" && value >= 0 && value < Infinity;
}
