import type { PlaygroundFlag } from "../api/types.ts";
import { ownValue } from "../ui/own-value.ts";
import { type Outcome, outcomeOf } from "./outcome.ts";

export type ResultFilter = "all" | "on" | "off" | "variant" | "different";

/** The result of a flag in one environment, summed up over all combinations of values. */
export interface EnvironmentResult {
  readonly environment: string;
  /** In the order of the combinations. Empty if the environment does not have the flag. */
  readonly outcomes: readonly Outcome[];
}

export function resultsOf(
  flag: PlaygroundFlag,
  environments: readonly string[],
): readonly EnvironmentResult[] {
  return environments.map((environment) => ({
    environment,
    outcomes: (ownValue(flag.environments, environment) ?? []).map(outcomeOf),
  }));
}

/** Returns the flags whose name contains the text, and any of whose results match the filter. */
export function filterResults(
  flags: readonly PlaygroundFlag[],
  { query, show }: { readonly query: string; readonly show: ResultFilter },
): readonly PlaygroundFlag[] {
  const text = query.trim().toLowerCase();
  return flags.filter((flag) => {
    if (!flag.name.toLowerCase().includes(text)) return false;
    return show === "all" || matches(flag, show);
  });
}

function matches(flag: PlaygroundFlag, show: Exclude<ResultFilter, "all">): boolean {
  const outcomes = Object.values(flag.environments).flatMap((results) => results.map(outcomeOf));
  if (show === "variant") return outcomes.some(({ variant }) => variant !== undefined);
  if (show === "different") return countOutcomes(outcomes).length > 1;
  return outcomes.some(({ state }) => state === show);
}

/** Counts equal outcomes, in the order of their first occurrence. */
export function countOutcomes(
  outcomes: readonly Outcome[],
): readonly { readonly outcome: Outcome; readonly count: number }[] {
  const counts = new Map<string, { outcome: Outcome; count: number }>();
  for (const outcome of outcomes) {
    const key = JSON.stringify([outcome.state, outcome.variant]);
    counts.set(key, { outcome, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  return [...counts.values()];
}

/** Describes one combination of values, for example "userId 7, country DK"; only what differs. */
export function describeCombination(
  context: Readonly<Record<string, unknown>>,
  varied: ReadonlySet<string>,
): string {
  return Object.entries(flatten(context))
    .filter(([name]) => varied.has(name))
    .map(([name, value]) => `${name} ${value}`)
    .join(", ");
}

/** The fields that have several values. */
export function variedFields(context: Readonly<Record<string, string>>): ReadonlySet<string> {
  return new Set(
    Object.entries(context)
      .filter(([, value]) => value.includes(","))
      .map(([name]) => name),
  );
}

function flatten(context: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const { properties, ...fields } = context;
  const all = { ...fields, ...(typeof properties === "object" ? properties : {}) };
  return Object.fromEntries(Object.entries(all).map(([name, value]) => [name, String(value)]));
}
