/** Data attached to a variant. `value` is always text; `type` describes its format. */
export interface Payload {
  readonly type: string;
  readonly value: string;
}

export interface SelectedVariant {
  readonly name: string;
  readonly payload?: Payload;
}

/**
 * Why an evaluation had this outcome, in OpenFeature's terms.
 *
 * - `DISABLED`: the flag is disabled in this environment.
 * - `DEFAULT`: the flag is enabled, but no strategy matched or a parent flag is not satisfied.
 * - `STATIC`: on for every context.
 * - `TARGETING_MATCH`: on because the context matches a rule.
 * - `SPLIT`: on because of a partial rollout, or on with a variant selected by weight.
 */
export type Reason = "DISABLED" | "DEFAULT" | "STATIC" | "TARGETING_MATCH" | "SPLIT";

/** One possible outcome of a flag. Frozen and shared: compare by identity or by index. */
export interface Outcome {
  readonly enabled: boolean;
  /** Undefined when the flag is off or has no variant for this context. */
  readonly variant: SelectedVariant | undefined;
  readonly reason: Reason;
}

/** The index of the outcome "off" in the outcomes of every flag. */
export const OFF = 0;
