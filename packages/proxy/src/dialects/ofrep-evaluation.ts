import type { CompiledFeature, Outcome, Reason } from "flags-engine";
import { type OfrepValue, toTypedValue, UnusablePayload } from "./ofrep-value.ts";

/** What the value of a flag can be. */
export const OFREP_VALUES = ["boolean", "payload"] as const;

/**
 * Whether it is on, or the payload of its variant where there is one. The protocol has one value
 * for a flag, and does not say which type the caller is after.
 */
export type OfrepValues = (typeof OFREP_VALUES)[number];

/** Why a flag can come out as it does. */
export const OFREP_REASONS = [
  "STATIC",
  "TARGETING_MATCH",
  "SPLIT",
  "DISABLED",
  "DEFAULT",
] as const satisfies readonly Reason[];

/** The answer for a flag, with every field that some OpenFeature provider insists on. */
export interface OfrepSuccess {
  readonly key: string;
  readonly value: OfrepValue;
  readonly reason: Reason;
  readonly variant: string;
  readonly metadata: Readonly<Record<string, string | boolean>>;
}

/** The answer for a flag that has none to give. */
export interface OfrepFailure {
  readonly key: string;
  readonly errorCode: "PARSE_ERROR" | "FLAG_NOT_FOUND";
  readonly errorDetails: string;
}

/** Puts the outcome of an evaluation into the terms of OpenFeature. */
export function toOfrepEvaluation(
  feature: CompiledFeature,
  outcome: Outcome,
  values: OfrepValues,
): OfrepSuccess | OfrepFailure {
  const { name: key } = feature;
  const value = toValue(outcome, values);
  if (value instanceof UnusablePayload) {
    return { key, errorCode: "PARSE_ERROR", errorDetails: value.details };
  }
  return {
    key,
    value,
    reason: toReason(feature, outcome),
    variant: outcome.variant?.name ?? (outcome.enabled ? "enabled" : "disabled"),
    metadata: toMetadata(outcome, values),
  };
}

function toValue({ enabled, variant }: Outcome, values: OfrepValues): OfrepValue | UnusablePayload {
  const payload = variant?.payload;
  return values === "payload" && payload !== undefined ? toTypedValue(payload) : enabled;
}

/** NOTE: clients may keep a static answer for every context, so only a constant may be called so. */
function toReason({ constantOutcome }: CompiledFeature, { reason }: Outcome): Reason {
  return reason === "STATIC" && constantOutcome === undefined ? "TARGETING_MATCH" : reason;
}

function toMetadata({ enabled, variant }: Outcome, values: OfrepValues): OfrepSuccess["metadata"] {
  const payload = variant?.payload;
  return {
    enabled,
    variantEnabled: variant !== undefined,
    ...(payload && { payloadType: payload.type }),
    ...(payload && values === "boolean" && { payload: payload.value }),
  };
}
