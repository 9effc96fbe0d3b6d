/** Data attached to a variant; `value` is always text, whatever `type` says of its content. */
export interface Payload {
  readonly type: string;
  readonly value: string;
}

/** The variant that an evaluation selected. */
export interface SelectedVariant {
  readonly name: string;
  readonly payload?: Payload;
}

/**
 * Why a flag came out as it did, in OpenFeature's words.
 *
 * - `DISABLED`: switched off in this environment.
 * - `DEFAULT`: switched on, but no strategy matched or a parent flag is not as required.
 * - `STATIC`: on for everybody.
 * - `TARGETING_MATCH`: on because of who or what the context is.
 * - `SPLIT`: on because of a partial rollout, or on with a variant chosen by weight.
 */
export type Reason = "DISABLED" | "DEFAULT" | "STATIC" | "TARGETING_MATCH" | "SPLIT";

/** One possible answer of a flag. Frozen and shared: compare by identity or by index. */
export interface Outcome {
  readonly enabled: boolean;
  /** Absent when the flag is off or has no variant for this context. */
  readonly variant: SelectedVariant | undefined;
  readonly reason: Reason;
}
