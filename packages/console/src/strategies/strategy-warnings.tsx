import { checkParameters } from "../../../engine/src/strategies/check-parameters.ts";
import { findStrategyType } from "../../../engine/src/strategies/strategy-table.ts";
import type { Strategy } from "../api/types.ts";
import { Banner } from "../ui/banner.tsx";

interface StrategyWarningsProps {
  readonly strategy: Pick<Strategy, "name" | "parameters">;
}

/** Entries of lists that can never match, and percentages out of range. The service accepts both. */
export function StrategyWarnings({ strategy: { name, parameters } }: StrategyWarningsProps) {
  const subject = findStrategyType(name)?.kind === "list" ? "The list" : "The percentage";
  return checkParameters(name, parameters).map(({ parameter, message }) => (
    <Banner key={parameter} kind="warning">
      {subject} {message}.
    </Banner>
  ));
}
