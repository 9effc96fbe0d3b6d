import type { ApplicationUsage, FeatureUsage } from "flags-sdk";
import type { Static } from "typebox";
import type { BulkUsageBody } from "../routes/server-sdk/schemas.ts";
import { toEpochMs, toFeatureUsage } from "./usage.ts";

type Metric = Static<typeof BulkUsageBody>["metrics"][number];

/** Reads a report for many applications, as one report for each application and span of time. */
export function toBulkUsage(
  { metrics }: Static<typeof BulkUsageBody>,
  nowMs: number,
): readonly ApplicationUsage[] {
  const usages = new Map<string, ApplicationUsage & { features: Record<string, FeatureUsage> }>();
  for (const metric of metrics) {
    const { appName, featureName } = metric;
    const startMs = toEpochMs(metric.timestamp, nowMs);
    const key = JSON.stringify([startMs, appName]);
    // NOTE: no prototype, since a flag may well be called `__proto__`.
    const usage = usages.get(key) ?? { appName, startMs, features: Object.create(null) };
    usage.features[featureName] = add(usage.features[featureName], metric);
    usages.set(key, usage);
  }
  return [...usages.values()];
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
