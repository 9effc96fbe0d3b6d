import type { StoredConstraint, StoredVariant } from "../storage/schema/strategies.ts";

/** A strategy as SDKs receive it. */
export interface ClientStrategy {
  readonly name: string;
  readonly constraints: readonly StoredConstraint[];
  readonly parameters: Readonly<Record<string, string>>;
  readonly variants: readonly StoredVariant[];
  /** Ids, ascending; left out when there are none. */
  readonly segments?: readonly number[];
}

/** What a flag requires of its parent, as SDKs receive it. */
export interface ClientDependency {
  readonly feature: string;
  readonly enabled: boolean;
  readonly variants?: readonly string[];
}

/** A flag in one environment, as SDKs receive it. */
export interface ClientFeature {
  readonly name: string;
  readonly type: string;
  readonly enabled: boolean;
  readonly project: string;
  readonly stale: boolean;
  readonly description: string | null;
  readonly impressionData: boolean;
  readonly strategies: readonly ClientStrategy[];
  /** Flags have no variants of their own here, their strategies have; older SDKs expect the list. */
  readonly variants: readonly [];
  readonly dependencies?: readonly ClientDependency[];
}

/** A segment as SDKs receive it. */
export interface ClientSegment {
  readonly id: number;
  readonly name: string;
  readonly constraints: readonly StoredConstraint[];
}
