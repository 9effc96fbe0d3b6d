import type { strategies } from "../storage/schema/strategies.ts";
import type { ClientDependency, ClientFeature, ClientStrategy } from "./client-feature.ts";

type StoredFeature = Omit<ClientFeature, "dependencies" | "strategies" | "variants">;

interface StoredStrategy {
  readonly disabled: boolean;
  readonly strategy: ClientStrategy;
}

/**
 * A flag as SDKs receive it. Disabled strategies are left out.
 *
 * NOTE: for SDKs, an enabled flag without strategies is on for everybody. A flag all of whose
 * strategies are disabled is on for nobody, and so is sent as off.
 */
export function toClientFeature(
  stored: StoredFeature,
  strategies: readonly StoredStrategy[],
  dependencies: readonly ClientDependency[],
): ClientFeature {
  const active = strategies.filter(({ disabled }) => !disabled);
  const hasOnlyDisabled = strategies.length > 0 && active.length === 0;
  return {
    name: stored.name,
    type: stored.type,
    enabled: stored.enabled && !hasOnlyDisabled,
    project: stored.project,
    stale: stored.stale,
    strategies: active.map(({ strategy }) => strategy),
    variants: [],
    description: stored.description,
    impressionData: stored.impressionData,
    ...(dependencies.length > 0 && { dependencies }),
  };
}

/** A strategy as SDKs receive it. */
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
