import { describeActivation, describeConstraint, describeSegment } from "./words.ts";
import type { DependencyExplanation, Explanation, StrategyExplanation } from "./explanation.ts";

/** How many strategies that do not match are described. */
const MAX_STRATEGIES = 3;

type Parts = Omit<Explanation, "name" | "explanation">;

/** Says in one sentence why a flag is on or off, and why it has its variant. */
export function toSentence(parts: Parts): string {
  if (parts.enabled) return `The flag is on ${whyOn(parts)}${whichVariant(parts)}.`;
  return `The flag is off ${whyOff(parts)}.`;
}

function whyOn({ strategies, decidedBy }: Parts): string {
  const strategy = decidedBy === undefined ? undefined : strategies[decidedBy];
  if (strategy === undefined || decidedBy === undefined) {
    return "for everyone, because it has no strategies";
  }
  const conditions = conditionsOf(strategy);
  const name = nameOf(strategies, decidedBy);
  if (conditions.length === 0) return `because ${name} matches everyone`;
  return `because ${name} matches: ${conditions.join(", and ")}`;
}

function whyOff({ enabledInEnvironment, dependencies, strategies }: Parts): string {
  if (!enabledInEnvironment) return "because it is disabled in this environment";
  const unsatisfied = dependencies.find(({ satisfied }) => !satisfied);
  if (unsatisfied !== undefined) return `because ${describeDependency(unsatisfied)}`;
  if (strategies.length === 0) return "because its strategies are malformed";
  const failures = strategies
    .slice(0, MAX_STRATEGIES)
    .map((strategy, index) => `${nameOf(strategies, index)}: ${failureOf(strategy)}`);
  const more = strategies.length - failures.length;
  if (more > 0) failures.push(`${more} more ${more === 1 ? "strategy" : "strategies"}`);
  const start = strategies.length === 1 ? "" : "no strategy matches; ";
  const [only] = strategies;
  if (strategies.length === 1 && only !== undefined) {
    return `because its only strategy does not match: ${failureOf(only)}`;
  }
  return `because ${start}${failures.join("; ")}`;
}

function nameOf(strategies: readonly StrategyExplanation[], index: number): string {
  const name = strategies[index]?.name ?? "";
  return strategies.length === 1 ? `its strategy ${name}` : `strategy ${index + 1} (${name})`;
}

/** Describes all conditions of a strategy that matches; none if it matches every context. */
function conditionsOf({ constraints, segments, activation }: StrategyExplanation): string[] {
  return [
    ...constraints.map((one) => describeConstraint(one)),
    ...segments.map((one) => describeSegment(one)),
    ...describeActivation(activation),
  ];
}

/** Describes the first condition that is not met. */
function failureOf({ constraints, segments, activation }: StrategyExplanation): string {
  const constraint = constraints.find(({ matched }) => !matched);
  if (constraint !== undefined) return describeConstraint(constraint);
  const segment = segments.find(({ matched }) => !matched);
  if (segment !== undefined) return describeSegment(segment);
  return describeActivation(activation).join(" ") || "its condition is not met";
}

function describeDependency(dependency: DependencyExplanation): string {
  const { name, requires, requiresVariants, result, problem } = dependency;
  const parent = name === undefined ? "another flag" : `the flag ${name}`;
  const variants =
    requiresVariants.length > 0 ? ` with variant ${requiresVariants.join(" or ")}` : "";
  const required = `it requires ${parent} to be ${requires}${variants}`;
  if (problem !== undefined) return `${required}, which is impossible: ${problem}`;
  if (result === undefined) return required;
  const variant = result.variant === undefined ? "" : ` with variant ${result.variant.name}`;
  return `${required}, but that flag is ${result.enabled ? "on" : "off"}${variant}`;
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
