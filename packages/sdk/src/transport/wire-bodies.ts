import { BUILT_IN_STRATEGY_NAMES } from "flags-engine";
import type { FeatureUsage } from "../synced-flags.ts";
import type { Identity, Platform } from "../identity.ts";
import { PLATFORM, SDK_NAME } from "../identity.ts";

/** Body of a usage report of one application. */
export interface MetricsBody extends Identity, Platform {
  readonly sdkVersion: string;
  readonly bucket: {
    /** ISO 8601. */
    readonly start: string;
    readonly stop: string;
    readonly toggles: Readonly<Record<string, FeatureUsage>>;
  };
}

interface CountedUsage {
  readonly appName: string;
  readonly startMs: number;
  readonly features: Readonly<Record<string, FeatureUsage>>;
}

export function toMetricsBody(usage: CountedUsage, identity: Identity, nowMs: number): MetricsBody {
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

/** Body of the request by which a client registers with the upstream. */
export interface RegistrationBody extends Identity, Platform {
  readonly sdkVersion: string;
  /** Names of the supported strategies, custom ones first. */
  readonly strategies: readonly string[];
  /** ISO 8601. */
  readonly started: string;
  /** Milliseconds between usage reports. */
  readonly interval: number;
}

interface RegistrationDetails {
  readonly identity: Identity;
  readonly customStrategies: readonly string[];
  readonly startedAtMs: number;
  readonly metricsIntervalMs: number;
}

export function toRegistrationBody(details: RegistrationDetails): RegistrationBody {
  return {
    ...details.identity,
    ...PLATFORM,
    sdkVersion: SDK_NAME,
    strategies: [...new Set([...details.customStrategies, ...BUILT_IN_STRATEGY_NAMES])],
    started: new Date(details.startedAtMs).toISOString(),
    interval: details.metricsIntervalMs,
  };
}
