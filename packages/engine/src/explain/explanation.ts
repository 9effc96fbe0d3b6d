import type { Reason, SelectedVariant } from "../outcome.ts";

/** Why a flag has its result for a context. Contains only JSON values. */
export interface Explanation {
  readonly name: string;
  readonly enabled: boolean;
  readonly variant?: SelectedVariant;
  readonly reason: Reason;
  readonly explanation: string;
  /** Whether the flag is enabled in the environment. Otherwise it is off, regardless of its strategies. */
  readonly enabledInEnvironment: boolean;
  /** The result depends on the time, a random number or a custom strategy: the next evaluation can differ. */
  readonly mayChange: boolean;
  /** The parent flags. All must match. */
  readonly dependencies: readonly DependencyExplanation[];
  /** In the order of evaluation. The first that matches decides. */
  readonly strategies: readonly StrategyExplanation[];
  /** The position in `strategies` of the one that turned the flag on. @default none did */
  readonly decidedBy?: number;
  readonly variantSelection?: VariantExplanation;
}

interface Condition {
  readonly matched: boolean;
  /** Why the context does or does not meet the condition, without a full stop: `plan is "free", which is not "pro"`. */
  readonly explanation: string;
  /** Why the condition can never be met, such as an unknown operator. */
  readonly problem?: string;
}

export interface DependencyExplanation extends Condition {
  /** Absent if the caller may not see the parent. */
  readonly name?: string;
  readonly requires: "on" | "off";
  /** The parent must have one of these variants. Empty: any. */
  readonly requiresVariants: readonly string[];
  /** The result of the parent. @default the parent does not exist or cannot be used */
  readonly result?: ParentResult;
}

export type ParentResult = Pick<Explanation, "enabled" | "variant" | "reason" | "explanation">;

export interface StrategyExplanation {
  readonly name: string;
  readonly matched: boolean;
  readonly constraints: readonly ConstraintExplanation[];
  readonly segments: readonly SegmentExplanation[];
  readonly activation: ActivationExplanation;
}

export interface ConstraintExplanation extends Condition {
  readonly contextName: string;
  readonly operator: string;
  readonly inverted: boolean;
  readonly caseInsensitive: boolean;
  /** The expected values of an operator on lists; long lists are abbreviated. */
  readonly values?: AbbreviatedList;
  readonly value?: string | number | boolean | null;
  /** The value in the context as a string; null if it is absent. Date operators use the current time. */
  readonly actual: string | null;
}

/** A list, abbreviated to some of its entries. */
export interface AbbreviatedList {
  /** The entry that equals the actual value, if there is one, and the first others. */
  readonly shown: readonly string[];
  readonly count: number;
}

export interface SegmentExplanation extends Condition {
  readonly id: string;
  readonly name?: string;
  readonly constraints: readonly ConstraintExplanation[];
}

/** When a strategy matches, apart from its constraints and segments. */
export interface ActivationExplanation extends Condition {
  readonly rollout?: RolloutExplanation;
  readonly list?: ListExplanation;
}

/** The buckets 1 to `percentage` of 100 are included. */
export interface RolloutExplanation {
  readonly percentage: number;
  /** `default`, `random` or the name of a field. */
  readonly stickiness: string;
  /** The field that the id comes from; absent if the id is random or the context has none. */
  readonly field?: string;
  readonly value?: string;
  /** The group that the id is hashed with. */
  readonly groupId?: string;
  /** From 1 to 100; absent without an id. */
  readonly bucket?: number;
}

export interface ListExplanation {
  readonly field: string;
  readonly values: AbbreviatedList;
  readonly actual: string | null;
}

export interface VariantExplanation {
  readonly definedBy: "strategy" | "flag";
  readonly variants: readonly WeightedVariant[];
  /** Null if a weight is not a number. */
  readonly totalWeight: number | null;
  /** The value that selected the variant regardless of its weight. */
  readonly override?: { readonly contextName: string; readonly value: string };
  /** `default`, `random` or the name of a field. */
  readonly stickiness: string;
  /** The field that the id comes from; absent if the id is random. */
  readonly field?: string;
  readonly value?: string;
  readonly groupId?: string;
  /** From 1 to `totalWeight`; absent if an override or the only variant with a weight was selected. */
  readonly bucket?: number;
}

export interface WeightedVariant {
  readonly name: string;
  /** Null if it is not a number. */
  readonly weight: number | null;
  readonly selected: boolean;
}
