import type { CompiledFlag, Outcome } from "flags-engine";
import { type OfrepValue, toTypedValue, UnusablePayload } from "./value.ts";

/** What the value of a flag can be. */
export const OFREP_VALUES = ["boolean", "payload"] as const;

/**
 * Whether it is on, or the payload of its variant where there is one. The protocol has one value
 * for a flag, and does not say which type the caller is after.
 */
export type OfrepValues = (typeof OFREP_VALUES)[number];

/** The reasons of OFREP 0.3.0, apart from `UNKNOWN`, which no evaluation here needs. */
export const OFREP_REASONS = ["STATIC", "TARGETING_MATCH", "SPLIT", "DISABLED"] as const;

type OfrepReason = (typeof OFREP_REASONS)[number];

/** The evaluation of a flag, with every field that some OpenFeature provider insists on. */
export interface OfrepSuccess {
  readonly key: string;
  readonly value: OfrepValue;
  readonly reason: OfrepReason;
  readonly variant: string;
  readonly metadata: Readonly<Record<string, string | boolean>>;
}

/** The error for a flag that has no usable value. */
export interface OfrepFailure {
  readonly key: string;
  readonly errorCode: "PARSE_ERROR" | "FLAG_NOT_FOUND";
  readonly errorDetails: string;
}

/** Puts the outcome of an evaluation into the terms of OpenFeature. */
export function toOfrepEvaluation(
  feature: CompiledFlag,
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

/**
 * OFREP has no reason for a flag that is switched on while no strategy matches. OpenFeature calls the
 * result of any rule `TARGETING_MATCH`, whatever its value. Clients may cache a `STATIC` value for
 * every context, so only a constant is `STATIC`.
 */
function toReason({ constantOutcome }: CompiledFlag, { reason }: Outcome): OfrepReason {
  if (reason !== "STATIC" && reason !== "DEFAULT") return reason;
  return constantOutcome === undefined ? "TARGETING_MATCH" : "STATIC";
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
