import type { Outcome, Payload } from "flags-engine";

/** The result if a flag has no variant for the context. */
export interface FallbackVariant {
  readonly name: string;
  readonly enabled: boolean;
  readonly payload?: Payload;
}

/** The variant of a flag for a context. */
export interface Variant extends FallbackVariant {
  /** Whether the flag itself is on. */
  readonly featureEnabled: boolean;
  /** Equal to `featureEnabled`; the name that other server SDKs use. */
  readonly feature_enabled: boolean;
}

export const DISABLED: FallbackVariant = { name: "disabled", enabled: false };

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
