import type {
  StoredConstraint,
  StoredFlagVariant,
  StoredVariant,
} from "../storage/schema/json-values.ts";
import type { strategies } from "../storage/schema/strategies.ts";

/** A strategy as SDKs receive it. */
interface ClientStrategy {
  readonly name: string;
  readonly constraints: readonly StoredConstraint[];
  readonly parameters: Readonly<Record<string, string>>;
  readonly variants: readonly StoredVariant[];
  /** Ids in ascending order; omitted if there are no segments. */
  readonly segments?: readonly number[];
}

/** The dependency of a flag on its parent, as SDKs receive it. */
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
  /** Used if the strategy that matches has no variants. */
  readonly variants: readonly StoredFlagVariant[];
  readonly dependencies?: readonly ClientDependency[];
}

/** A segment as SDKs receive it. */
export interface ClientSegment {
  readonly id: number;
  readonly name: string;
  readonly constraints: readonly StoredConstraint[];
}

type StoredFeature = Omit<ClientFeature, "dependencies" | "strategies">;

interface StoredStrategy {
  readonly disabled: boolean;
  readonly strategy: ClientStrategy;
}

/**
 * Converts a flag to the form that SDKs receive, without disabled strategies.
 *
 * NOTE: SDKs treat an enabled flag without strategies as on for everybody. A flag whose strategies are
 * all disabled should be on for nobody, so it is sent as off.
 */
export function toClientFeature(
  stored: StoredFeature,
  storedStrategies: readonly StoredStrategy[],
  dependencies: readonly ClientDependency[],
): ClientFeature {
  const active = storedStrategies.filter(({ disabled }) => !disabled);
  const hasOnlyDisabled = storedStrategies.length > 0 && active.length === 0;
  return {
    name: stored.name,
    type: stored.type,
    enabled: stored.enabled && !hasOnlyDisabled,
    project: stored.project,
    stale: stored.stale,
    strategies: active.map(({ strategy }) => strategy),
    variants: stored.variants,
    description: stored.description,
    impressionData: stored.impressionData,
    ...(dependencies.length > 0 && { dependencies }),
  };
}

/** Converts a strategy to the form that SDKs receive. */
export function toClientStrategy(
  { name, constraints, parameters, variants }: typeof strategies.$inferSelect,
  segments: readonly number[],
): ClientStrategy {
  return {
    name,
    constraints,
    parameters,
    variants,
    ...(segments.length > 0 && { segments }),
  };
}
