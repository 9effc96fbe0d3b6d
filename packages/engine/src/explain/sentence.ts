import { FOR_EVERYONE } from "./words.ts";
import type { Explanation, StrategyExplanation } from "./explanation.ts";

/** How many strategies that do not match are described. */
const MAX_STRATEGIES = 3;

type Parts = Omit<Explanation, "name" | "explanation">;

/** Says in one sentence why a flag is on or off, and why it has its variant. */
export function toSentence(parts: Parts): string {
  if (parts.enabled) return `The flag is on ${whyOn(parts)}${whichVariant(parts)}.`;
  return `The flag is off because ${whyOff(parts)}.`;
}

function whyOn({ strategies, decidedBy }: Parts): string {
  const strategy = strategies[decidedBy ?? -1];
  if (strategy === undefined || decidedBy === undefined) return "for everyone";
  const conditions = conditionsOf(strategy).join(", and ");
  if (strategies.length === 1) return conditions === "" ? "for everyone" : `because ${conditions}`;
  const name = `because strategy ${decidedBy + 1} matches`;
  return conditions === "" ? `${name} everyone` : `${name}: ${conditions}`;
}

function whyOff({ enabledInEnvironment, dependencies, strategies }: Parts): string {
  if (!enabledInEnvironment) return "it is disabled in this environment";
  const unsatisfied = dependencies.find(({ matched }) => !matched);
  if (unsatisfied !== undefined) return unsatisfied.explanation;
  const [only, ...others] = strategies;
  if (only === undefined) return "its strategies are malformed";
  if (others.length === 0) return failureOf(only);
  const failures = strategies
    .slice(0, MAX_STRATEGIES)
    .map((strategy, index) => `(${index + 1}) ${failureOf(strategy)}`);
  const more = strategies.length - failures.length;
  if (more > 0) failures.push(`and ${more} more`);
  return `no strategy matches: ${failures.join("; ")}`;
}

/** Describes all conditions of a strategy that matches; none if it matches every context. */
function conditionsOf({ constraints, segments, activation }: StrategyExplanation): string[] {
  const all = [...constraints, ...segments, activation].map(({ explanation }) => explanation);
  return all.filter((explanation) => explanation !== FOR_EVERYONE);
}

/** Describes the first condition that is not met. */
function failureOf({ constraints, segments, activation }: StrategyExplanation): string {
  const failed = [...constraints, ...segments].find(({ matched }) => !matched) ?? activation;
  return failed.explanation;
}

function whichVariant({ variant, variantSelection }: Parts): string {
  if (variant === undefined || variantSelection === undefined) return "";
  const { override, bucket, totalWeight, field } = variantSelection;
  const text = `; its variant is ${variant.name}`;
  if (override !== undefined)
    return `${text}, because ${override.contextName} is ${override.value}`;
  if (bucket === undefined) return text;
  const id = field === undefined ? "a random id" : `the ${field}`;
  return `${text}, because ${id} is in bucket ${bucket} of ${totalWeight}`;
}
