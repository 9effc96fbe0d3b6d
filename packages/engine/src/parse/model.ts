import type { Payload } from "../outcome.ts";
import type { Diagnostic } from "./diagnostic.ts";

/** A document that was checked: what every part of it means is settled. */
export interface FeatureDocument {
  /** Names are unique; of two flags with one name the later one counts. */
  readonly features: readonly Feature[];
  /** By id, type-strictly: segment `1` is not segment `"1"`. */
  readonly segments: ReadonlyMap<unknown, Segment>;
  readonly diagnostics: readonly Diagnostic[];
}

export interface Feature {
  readonly name: string;
  readonly type: string | undefined;
  readonly project: string | undefined;
  readonly stale: boolean;
  readonly enabled: boolean;
  readonly impressionData: boolean;
  /** Undefined when malformed: such a flag is off. An empty list is on for everybody. */
  readonly strategies: readonly Strategy[] | undefined;
  readonly variants: readonly Variant[];
  /** Undefined entries are malformed and never satisfied. */
  readonly dependencies: readonly (Dependency | undefined)[];
}

export interface Strategy {
  readonly name: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly constraints: readonly MaybeConstraint[];
  /** Ids of segments. */
  readonly segments: readonly unknown[];
  readonly variants: readonly Variant[];
}

/** Undefined: malformed, and therefore never fulfilled. */
export type MaybeConstraint = Constraint | undefined;

export interface Constraint {
  readonly contextName: string;
  readonly operator: string;
  /** Trimmed and without empty entries; undefined when missing or malformed. */
  readonly values: readonly string[] | undefined;
  readonly value: string | number | boolean | null | undefined;
  readonly inverted: boolean;
  readonly caseInsensitive: boolean;
}

export interface Segment {
  readonly constraints: readonly MaybeConstraint[];
}

export interface Variant {
  readonly name: string;
  readonly weight: number;
  readonly stickiness: unknown;
  readonly payload: Payload | undefined;
  readonly overrides: readonly VariantOverride[];
}

/** Gives a variant to some contexts, whatever its weight. */
export interface VariantOverride {
  readonly contextName: string;
  readonly values: readonly string[];
}

/** What a flag requires of its parent. */
export interface Dependency {
  readonly feature: string;
  /** False: the parent has to be off, and `variants` does not matter. */
  readonly enabled: boolean;
  /** Empty: any variant will do. */
  readonly variants: readonly string[];
}
