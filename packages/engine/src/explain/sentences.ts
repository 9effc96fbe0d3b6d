import { isOperatorName, OPERATORS } from "../constraints/operator-table.ts";
import type {
  AbbreviatedList,
  ActivationExplanation,
  ConstraintExplanation,
  DependencyExplanation,
  RolloutExplanation,
  Explanation,
  StrategyExplanation,
} from "./explanation.ts";

const MAX_STRATEGIES = 3;

type Parts = Omit<Explanation, "name" | "explanation">;

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
  if (!enabledInEnvironment) return "it is turned off in this environment";
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

function conditionsOf({ constraints, segments, activation }: StrategyExplanation): string[] {
  const all = [...constraints, ...segments, activation].map(({ explanation }) => explanation);
  return all.filter((explanation) => explanation !== FOR_EVERYONE);
}

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

const MAX_NAMED = 3;

export function describeConstraint(constraint: Omit<ConstraintExplanation, "explanation">): string {
  const { contextName, operator, actual, matched, inverted, values, value, problem } = constraint;
  if (problem !== undefined) return problem;
  const isOperatorTrue = matched !== inverted;
  const phrase = phraseOf(operator, isOperatorTrue);
  const expected = values === undefined ? String(value ?? "nothing") : joinValues(values);
  if (actual === null) return `${contextName} is absent, so it ${phrase} ${expected}`;
  const statement = `${contextName} is "${actual}"`;
  // The value itself already says which entry of the list it is.
  return phrase === "is" && values !== undefined
    ? statement
    : `${statement}, which ${phrase} ${expected}`;
}

/** A sentence joins the values with "or", so it says "is" and not "is one of". */
function phraseOf(operator: string, isTrue: boolean): string {
  if (!isOperatorName(operator)) return operator;
  const { phrase, negation } = OPERATORS[operator];
  return (isTrue ? phrase : negation).replace(/ one of$/, "");
}

/**
 * Says why a strategy matches or not, apart from its constraints and segments.
 *
 * @param customStrategy the name of the strategy if applications define it, and so its condition is unknown
 */
export function describeActivation(
  activation: Omit<ActivationExplanation, "explanation">,
  customStrategy?: string,
): string {
  const { matched, rollout, list, problem } = activation;
  if (problem !== undefined) return problem;
  if (list !== undefined) {
    const { field, actual, values } = list;
    if (actual === null) return `${field} is absent`;
    const statement = `${field} is "${actual}"`;
    return matched ? statement : `${statement}, which is not ${joinValues(values)}`;
  }
  if (rollout !== undefined) return describeRollout(rollout, matched);
  if (customStrategy === undefined) return FOR_EVERYONE;
  return `the custom strategy ${customStrategy} ${matched ? "matches" : "does not match"}`;
}

const FOR_EVERYONE = "it matches everyone";

function describeRollout(rollout: RolloutExplanation, matched: boolean): string {
  const { percentage, stickiness, field, value, bucket } = rollout;
  if (percentage === 0) return "the rollout is 0%";
  if (bucket === undefined) return `the rollout requires ${stickiness}, which is absent`;
  if (percentage === 100) return FOR_EVERYONE;
  const id = field === undefined ? "a random id" : `${field} "${value}"`;
  return `${id} is in bucket ${bucket} of 100, ${matched ? "within" : "beyond"} the rollout of ${percentage}%`;
}

export function describeRequirement(
  dependency: Pick<DependencyExplanation, "name" | "requires" | "requiresVariants">,
): string {
  const { name, requires, requiresVariants } = dependency;
  const parent = name === undefined ? "another flag" : `the flag ${name}`;
  const variants =
    requiresVariants.length > 0 ? ` with variant ${requiresVariants.join(" or ")}` : "";
  return `it requires ${parent} to be ${requires}${variants}`;
}

export function describeDependency(dependency: Omit<DependencyExplanation, "explanation">): string {
  const { matched, result } = dependency;
  const required = describeRequirement(dependency);
  if (result === undefined) return `${required}, which it is${matched ? "" : " not"}`;
  const variant = result.variant === undefined ? "" : ` with variant ${result.variant.name}`;
  return `${required}, ${matched ? "and" : "but"} that flag is ${result.enabled ? "on" : "off"}${variant}`;
}

/** Returns `DK, NO or 5 others`. */
function joinValues({ shown, count }: AbbreviatedList): string {
  const named = shown.slice(0, MAX_NAMED).map((value) => JSON.stringify(value));
  const others = count - named.length;
  if (others > 0) named.push(others === 1 ? "1 other" : `${others} others`);
  return named.length < 2 ? named.join("") : `${named.slice(0, -1).join(", ")} or ${named.at(-1)}`;
}
