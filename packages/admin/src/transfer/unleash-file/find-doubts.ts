import { BUILT_IN_STRATEGY_NAMES } from "flags-engine";
import { findWarnings } from "../../domain/strategies/strategy-warnings.ts";
import type { ExportedData } from "../bundle/exported-data.ts";
import type { Problem } from "./schemas.ts";

const BUILT_IN: ReadonlySet<string> = new Set(BUILT_IN_STRATEGY_NAMES);

/** Finds strategies that are valid, but perhaps do not do what was meant. */
export function findDoubts({ featureStrategies }: ExportedData): readonly Problem[] {
  const custom = featureStrategies.map(({ name }) => name).filter((name) => !BUILT_IN.has(name));
  const doubtful = featureStrategies.filter(
    ({ name, parameters = {} }) => findWarnings(name, parameters).length > 0,
  );
  return [
    toProblem(
      "Applications must implement these custom strategies as before, because only their names and parameters are imported",
      custom,
    ),
    toProblem(
      "Strategies of these flags have list entries that can never match, or percentages out of range",
      doubtful.map(({ featureName }) => featureName),
    ),
  ].filter(({ affectedItems }) => affectedItems.length > 0);
}

function toProblem(message: string, names: readonly string[]): Problem {
  return { message, affectedItems: [...new Set(names)] };
}
