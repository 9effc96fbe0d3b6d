import { Type } from "typebox";
import { named } from "../http/named-schema.ts";

export const COUNT_DIGITS = "^[0-9]+$";

/** A count. It can be text: the Unleash proxy accepted that too. */
const Count = Type.Unsafe({
  type: ["number", "string", "null"],
  minimum: 0,
  pattern: COUNT_DIGITS,
});

/**
 * Counts of one flag.
 *
 * NOTE: no union types: for a union, the validator reports what each member expects, and these
 * messages contradict each other.
 */
const ToggleUsage = named("toggleUsageSchema", {
  yes: Type.Optional(Count),
  no: Type.Optional(Count),
  variants: Type.Optional(Type.Unsafe({ type: ["object", "null"], additionalProperties: Count })),
});

export const MAX_REPORTED_TOGGLES = 10_000;

const Bucket = Type.Object({
  start: Type.Optional(Type.Unsafe({ type: ["string", "number", "boolean", "null"] })),
  toggles: Type.Unsafe({
    type: "object",
    additionalProperties: ToggleUsage,
    maxProperties: MAX_REPORTED_TOGGLES,
  }),
});

/** Reading them skips invalid entries. */
const ImpactMetrics = Type.Unsafe({
  description: "Counters, gauges and histograms, forwarded to the upstream",
});

export const UsageBody = named("usageReportSchema", {
  appName: Type.Unsafe({ type: ["string", "null"] }),
  bucket: Type.Optional(Type.Unsafe({ ...Bucket, type: ["object", "null"] })),
  impactMetrics: Type.Optional(ImpactMetrics),
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
