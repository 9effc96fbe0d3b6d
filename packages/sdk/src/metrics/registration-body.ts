import { BUILT_IN_STRATEGY_NAMES } from "flags-engine";
import type { Identity, Platform } from "../identity.ts";
import { PLATFORM, SDK_NAME } from "../identity.ts";

/** What a client tells of itself when it starts, as it goes over the wire. */
export interface RegistrationBody extends Identity, Platform {
  readonly sdkVersion: string;
  /** Custom ones first, as they are looked up. */
  readonly strategies: readonly string[];
  /** ISO 8601. */
  readonly started: string;
  /** Milliseconds between usage reports. */
  readonly interval: number;
}

export interface RegistrationDetails {
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
