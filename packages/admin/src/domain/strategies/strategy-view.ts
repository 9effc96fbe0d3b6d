import type { StoredConstraint, StoredVariant } from "../../storage/schema/strategies.ts";
import type { StrategyWithSegments } from "./find-strategies.ts";

/** A strategy as it is told. */
export interface StrategyView {
  readonly id: string;
  readonly name: string;
  readonly title: string | null;
  readonly disabled: boolean;
  readonly constraints: readonly StoredConstraint[];
  readonly parameters: Readonly<Record<string, string>>;
  readonly variants: readonly StoredVariant[];
  readonly segments: readonly number[];
  readonly sortOrder: number;
}

export function toStrategyView(strategy: StrategyWithSegments): StrategyView {
  const { id, name, title, disabled, sortOrder } = strategy;
  const { constraints, parameters, variants, segments } = strategy;
  return { id, name, title, disabled, constraints, parameters, variants, segments, sortOrder };
}
