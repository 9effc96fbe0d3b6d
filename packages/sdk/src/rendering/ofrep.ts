// The evaluations of OFREP, the remote evaluation protocol of OpenFeature.

import { checkNesting, isRecord, runToEnd } from "flags-engine";
import type { CompiledFlag, Outcome, Payload } from "flags-engine";
import type { ListFrame } from "./entity-tag.ts";

export const OFREP_FRAME: ListFrame = { prefix: '{"flags":[', suffix: "]}" };

/**
 * `boolean`: whether the flag is on. `payload`: the payload of its variant, if it has one. An OFREP
 * response has one value per flag, and a request does not say which type the caller expects.
 */
export type OfrepValues = "boolean" | "payload";

/** The reasons of OFREP 0.3.0, apart from `UNKNOWN`, which no evaluation here needs. */
export const OFREP_REASONS = ["STATIC", "TARGETING_MATCH", "SPLIT", "DISABLED"] as const;

type OfrepReason = (typeof OFREP_REASONS)[number];

/** The value of a flag, or of the payload of a variant. */
export type FlagValue = boolean | number | string | Readonly<Record<string, unknown>>;

/** The evaluation of a flag, with every field that any OpenFeature provider requires. */
export interface OfrepSuccess {
  readonly key: string;
  readonly value: FlagValue;
  readonly reason: OfrepReason;
  readonly variant: string;
  readonly metadata: Readonly<Record<string, string | boolean>>;
}

/** The error for a flag without a usable value. */
export interface OfrepFailure {
  readonly key: string;
  readonly errorCode: "PARSE_ERROR" | "FLAG_NOT_FOUND";
  readonly errorDetails: string;
}

/** The evaluation of a flag in a response to a request for all flags. */
export type OfrepEvaluation = OfrepSuccess | OfrepFailure;

export function toOfrepEvaluation(
  feature: CompiledFlag,
  outcome: Outcome,
  values: OfrepValues,
): OfrepEvaluation {
  const { name: key } = feature;
  const value = toValue(outcome, values);
  if (value instanceof InvalidPayload) {
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

export function toValue(
  { enabled, variant }: Outcome,
  values: OfrepValues,
): FlagValue | InvalidPayload {
  const payload = variant?.payload;
  return values === "payload" && payload !== undefined ? toTypedValue(payload) : enabled;
}

/**
 * OFREP has no reason for a flag that is enabled while no strategy matches. OpenFeature calls the result of any
 * rule `TARGETING_MATCH`, regardless of its value. Clients may cache a `STATIC` value for every context, so
 * only a constant is `STATIC`.
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

export class InvalidPayload {
  readonly details: string;

  constructor(details: string) {
    this.details = details;
  }
}

export function toTypedValue({ type, value }: Payload): FlagValue | InvalidPayload {
  switch (type) {
    case "number":
      return toNumber(value);
    case "json": {
      const json = parseJson(value);
      // NOTE: the protocol has objects but no lists, so any other JSON stays text.
      return json instanceof InvalidPayload || isRecord(json) ? json : value;
    }
    default:
      return value;
  }
}

export function toList({ type, value }: Payload): readonly unknown[] | undefined {
  const json = type === "json" ? parseJson(value) : undefined;
  return Array.isArray(json) ? (json as readonly unknown[]) : undefined;
}

function toNumber(text: string): number | InvalidPayload {
  const number = Number(text);
  // NOTE: `Number` converts a blank text to zero.
  if (text.trim() !== "" && Number.isFinite(number)) return number;
  return new InvalidPayload("The payload of the variant is not a valid number");
}

function parseJson(text: string): unknown {
  try {
    // Thousands of levels could be parsed, but not written again, so one payload would prevent all responses.
    runToEnd(checkNesting(text));
    return JSON.parse(text);
  } catch {
    return new InvalidPayload(
      "The payload of the variant is not valid JSON with at most 100 levels of lists and objects",
    );
  }
}
