import { type ApplicationUsage, type FeatureUsage, USAGE_LIMITS } from "flags-sdk";
import type { Static } from "typebox";
import { badField, type HttpError } from "../errors.ts";
import { isValid } from "../http/validation.ts";
import { ReportedMetric } from "./schemas.ts";
import { toEpochMs, toFeatureUsage } from "./usage.ts";

type Metric = Static<typeof ReportedMetric>;

/** The usage in a bulk report. */
export interface BulkUsage {
  /** One for each application and period. */
  readonly usages: readonly ApplicationUsage[];
  /** Entries that were left out because they are invalid. */
  readonly invalidCount: number;
}

/**
 * Reads a report for many applications. It comes from a proxy, which cannot do anything about a single
 * entry that one of its clients sent: such an entry is left out, and the others are accepted.
 *
 * @throws {HttpError} if none of the entries is valid
 */
export function toBulkUsage(
  metrics: readonly unknown[],
  { nowMs, quotaId }: { readonly nowMs: number; readonly quotaId: string },
): BulkUsage {
  const usages = new Map<string, ApplicationUsage & { features: Record<string, FeatureUsage> }>();
  const valid = metrics.filter(isMetric);
  if (valid.length === 0 && metrics.length > 0) throw explain(metrics[0]);
  for (const metric of valid) {
    const { appName, featureName } = metric;
    const startMs = toEpochMs(metric.timestamp, nowMs);
    const key = JSON.stringify([startMs, appName]);
    // NOTE: no prototype, since a flag may well be called `__proto__`.
    const usage = usages.get(key) ?? { appName, startMs, quotaId, features: Object.create(null) };
    usage.features[featureName] = add(usage.features[featureName], metric);
    usages.set(key, usage);
  }
  return { usages: [...usages.values()], invalidCount: metrics.length - valid.length };
}

const { nameLength, variantsPerFeature } = USAGE_LIMITS;

function isMetric(sent: unknown): sent is Metric {
  if (!isValid(ReportedMetric, sent)) return false;
  const { appName, featureName, variants } = sent as Metric;
  const variantNames = Object.keys(variants ?? {});
  if (variantNames.length > variantsPerFeature) return false;
  return [appName, featureName, ...variantNames].every(isName);
}

function isName(name: string): boolean {
  return name.length <= nameLength && !name.includes("\0");
}

function explain(first: unknown): HttpError {
  const problem = isValid(ReportedMetric, first)
    ? `has a name of more than ${nameLength} characters or with U+0000, or more than ` +
      `${variantsPerFeature} variants`
    : "must have `featureName` and `appName`, which are not empty, and counts of at least 0";
  return badField("metrics.0", `${problem}; no other entry is valid either`);
}

function add(before: FeatureUsage | undefined, metric: Metric): FeatureUsage {
  const usage = toFeatureUsage(metric);
  if (before === undefined) return usage;
  const variants: Record<string, number> = Object.create(null);
  for (const counts of [before.variants ?? {}, usage.variants ?? {}]) {
    for (const [name, count] of Object.entries(counts)) {
      variants[name] = (variants[name] ?? 0) + count;
    }
  }
  return { yes: before.yes + usage.yes, no: before.no + usage.no, variants };
}
