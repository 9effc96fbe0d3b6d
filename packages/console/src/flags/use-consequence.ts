import { useQuery } from "@tanstack/react-query";
import { queries } from "../api/queries.ts";
import { useAsksBeforeChange } from "../changes/asks-before-change.ts";
import type { StrategyAddress } from "../strategies/use-save-strategy.ts";
import { useNames } from "../strategies/use-names.ts";
import { describeConsequence, type FlagChange } from "./consequence.ts";

/** Says what a change of a flag in an environment does to whom; undefined where people need not confirm it. */
export function useConsequence(
  { project, flag, environment }: StrategyAddress,
  change: FlagChange,
): string | undefined {
  const names = useNames();
  const asksBeforeChange = useAsksBeforeChange();
  const { data } = useQuery(queries.flag(project, flag));
  const before = data?.environments.find(({ name }) => name === environment);
  if (before === undefined || !asksBeforeChange(before)) return undefined;
  return describeConsequence(change, before, names);
}
