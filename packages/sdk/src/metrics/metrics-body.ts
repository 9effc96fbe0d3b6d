import type { ApplicationUsage, FeatureUsage } from "../flag-source.ts";
import type { Identity, Platform } from "../identity.ts";
import { PLATFORM, SDK_NAME } from "../identity.ts";
import type { ImpactMetric } from "./impact-metrics.ts";

/** A usage report of one application, as it goes over the wire. */
export interface MetricsBody extends Identity, Platform {
  readonly sdkVersion: string;
  readonly bucket: {
    /** ISO 8601. */
    readonly start: string;
    readonly stop: string;
    readonly toggles: Readonly<Record<string, FeatureUsage>>;
  };
  readonly impactMetrics?: readonly ImpactMetric[];
}

/** Reports usage in the name of the application that counted it. */
export function toMetricsBody(
  usage: ApplicationUsage,
  identity: Identity,
  nowMs: number,
): MetricsBody {
  return {
    ...identity,
    ...PLATFORM,
    appName: usage.appName,
    sdkVersion: SDK_NAME,
    bucket: {
      start: new Date(usage.startMs).toISOString(),
      stop: new Date(nowMs).toISOString(),
      toggles: usage.features,
    },
  };
}
