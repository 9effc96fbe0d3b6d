import type {
  AbbreviatedList,
  ActivationExplanation,
  ConstraintExplanation,
  DependencyExplanation,
  RolloutExplanation,
} from "./explanation.ts";

/** How many values of a list are named in a sentence. */
const MAX_NAMED = 3;

/** The condition of an operator, and its opposite. */
const PHRASES: ReadonlyMap<string, readonly [string, string]> = new Map([
  ["IN", ["is", "is not"]],
  ["NOT_IN", ["is not", "is"]],
  ["STR_STARTS_WITH", ["starts with", "does not start with"]],
  ["STR_ENDS_WITH", ["ends with", "does not end with"]],
  ["STR_CONTAINS", ["contains", "does not contain"]],
  ["NUM_EQ", ["is", "is not"]],
  ["NUM_GT", ["is greater than", "is not greater than"]],
  ["NUM_GTE", ["is at least", "is not at least"]],
  ["NUM_LT", ["is less than", "is not less than"]],
  ["NUM_LTE", ["is at most", "is not at most"]],
  ["DATE_AFTER", ["is after", "is not after"]],
  ["DATE_BEFORE", ["is before", "is not before"]],
  ["SEMVER_EQ", ["is version", "is not version"]],
  ["SEMVER_GT", ["is later than version", "is not later than version"]],
  ["SEMVER_GTE", ["is at least version", "is not at least version"]],
  ["SEMVER_LT", ["is earlier than version", "is not earlier than version"]],
  ["SEMVER_LTE", ["is at most version", "is not at most version"]],
  ["REGEX", ["matches", "does not match"]],
  ["IN_CIDR", ["is in", "is not in"]],
]);

/** Says what is true of the context: that a constraint is satisfied, or that it is not. */
export function describeConstraint(constraint: Omit<ConstraintExplanation, "explanation">): string {
  const { contextName, operator, actual, matched, inverted, values, value, problem } = constraint;
  if (problem !== undefined) return problem;
  const isOperatorTrue = matched !== inverted;
  const phrase = PHRASES.get(operator)?.[isOperatorTrue ? 0 : 1] ?? operator;
  const expected = values === undefined ? String(value ?? "nothing") : joinValues(values);
  if (actual === null) return `${contextName} is absent, so it ${phrase} ${expected}`;
  const is = `${contextName} is "${actual}"`;
  // The value itself already says which entry of the list it is.
  return phrase === "is" && values !== undefined ? is : `${is}, which ${phrase} ${expected}`;
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
    const is = `${field} is "${actual}"`;
    return matched ? is : `${is}, which is not ${joinValues(values)}`;
  }
  if (rollout !== undefined) return describeRollout(rollout, matched);
  if (customStrategy === undefined) return FOR_EVERYONE;
  return `the custom strategy ${customStrategy} ${matched ? "matches" : "does not match"}`;
}

/** Says that an activation matches every context. */
export const FOR_EVERYONE = "it matches everyone";

function describeRollout(rollout: RolloutExplanation, matched: boolean): string {
  const { percentage, stickiness, field, value, bucket } = rollout;
  if (percentage === 0) return "the rollout is 0%";
  if (bucket === undefined) return `the rollout requires ${stickiness}, which is absent`;
  if (percentage === 100) return FOR_EVERYONE;
  const id = field === undefined ? "a random id" : `${field} "${value}"`;
  return `${id} is in bucket ${bucket} of 100, ${matched ? "within" : "beyond"} the rollout of ${percentage}%`;
}

/** Says what a flag requires of its parent. */
export function describeRequirement(
  dependency: Pick<DependencyExplanation, "name" | "requires" | "requiresVariants">,
): string {
  const { name, requires, requiresVariants } = dependency;
  const parent = name === undefined ? "another flag" : `the flag ${name}`;
  const variants =
    requiresVariants.length > 0 ? ` with variant ${requiresVariants.join(" or ")}` : "";
  return `it requires ${parent} to be ${requires}${variants}`;
}

/** Says what a flag requires of its parent, and the result of the parent unless it is hidden. */
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
