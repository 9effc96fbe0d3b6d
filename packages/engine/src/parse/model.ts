import type { Payload } from "../outcome.ts";
import type { Diagnostic } from "./diagnostics.ts";

/** A parsed document: every part is valid or explicitly marked as malformed. */
export interface FeatureDocument {
  /** Names are unique. If the document repeats a name, the last entry wins. */
  readonly features: readonly Feature[];
  /** By id. The type of the id matters: segment `1` is not segment `"1"`. */
  readonly segments: ReadonlyMap<unknown, Segment>;
  readonly diagnostics: readonly Diagnostic[];
}

/** What protocols can send to clients about a flag, besides its outcome. */
export interface FlagDetails {
  readonly name: string;
  readonly type: string | undefined;
  readonly project: string | undefined;
  readonly stale: boolean;
  readonly impressionData: boolean;
}

export interface Feature {
  readonly name: string;
  readonly details: FlagDetails;
  readonly enabled: boolean;
  /** Undefined if malformed: the flag is off. With an empty list it is on for every context. */
  readonly strategies: readonly Strategy[] | undefined;
  readonly variants: readonly Variant[];
  /** An undefined entry is malformed and never satisfied. */
  readonly dependencies: readonly (Dependency | undefined)[];
}

export interface Strategy {
  readonly name: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly constraints: readonly MaybeConstraint[];
  readonly segments: readonly unknown[];
  readonly variants: readonly Variant[];
}

/** Undefined: malformed, and therefore never satisfied. */
export type MaybeConstraint = Constraint | undefined;

export interface Constraint {
  readonly contextName: string;
  readonly operator: string;
  /** Trimmed. Empty entries are dropped, blank ones kept as "". Undefined if missing or malformed. */
  readonly values: readonly string[] | undefined;
  readonly value: string | number | boolean | null | undefined;
  readonly inverted: boolean;
  readonly caseInsensitive: boolean;
}

export interface Segment {
  readonly name: string | undefined;
  readonly constraints: readonly MaybeConstraint[];
}

export interface Variant {
  readonly name: string;
  readonly weight: number;
  readonly stickiness: unknown;
  readonly payload: Payload | undefined;
  readonly overrides: readonly VariantOverride[];
}

/** Selects a variant for contexts with one of these values, regardless of its weight. */
export interface VariantOverride {
  readonly contextName: string;
  readonly values: readonly string[];
}

/** A condition on a parent flag. */
export interface Dependency {
  readonly feature: string;
  /** False: the parent must be off, and `variants` is ignored. */
  readonly enabled: boolean;
  /** Empty: any variant satisfies the dependency. */
  readonly variants: readonly string[];
}
