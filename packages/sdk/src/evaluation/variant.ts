import type { Outcome, Payload } from "flags-engine";

/** What to give when a flag has no variant for the context. */
export interface FallbackVariant {
  readonly name: string;
  readonly enabled: boolean;
  readonly payload?: Payload;
}

/** The variant of a flag for a context. */
export interface Variant extends FallbackVariant {
  /** Whether the flag itself is on. */
  readonly featureEnabled: boolean;
  /** The same as `featureEnabled`, under the name that other server SDKs use. */
  readonly feature_enabled: boolean;
}

const DISABLED: FallbackVariant = { name: "disabled", enabled: false };

/** The variant of an outcome; the fallback when it has none, or there is no outcome. */
export function toVariant(
  outcome: Outcome | undefined,
  fallback: FallbackVariant = DISABLED,
): Variant {
  const featureEnabled = outcome?.enabled ?? false;
  const flags = { featureEnabled, feature_enabled: featureEnabled };
  const selected = outcome?.variant;
  return selected === undefined
    ? { ...fallback, ...flags }
    : { ...selected, enabled: true, ...flags };
}
