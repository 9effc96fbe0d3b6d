import type {
  AbbreviatedList,
  ActivationExplanation,
  ConstraintExplanation,
  RolloutExplanation,
  SegmentExplanation,
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
export function describeConstraint(constraint: ConstraintExplanation): string {
  const { contextName, operator, actual, matched, inverted, values, value, problem } = constraint;
  if (problem !== undefined) return problem;
  const phrases = PHRASES.get(operator);
  const isOperatorTrue = matched !== inverted;
  const phrase = phrases?.[isOperatorTrue ? 0 : 1] ?? operator;
  const subject = actual === null ? `${contextName} is absent and` : `${contextName} "${actual}"`;
  const expected = values === undefined ? String(value ?? "nothing") : joinValues(values);
  return `${subject} ${phrase} ${expected}`;
}

export function describeSegment({
  id,
  name,
  matched,
  constraints,
  problem,
}: SegmentExplanation): string {
  if (problem !== undefined) return problem;
  const subject = `segment ${name ?? id}`;
  if (matched) return `${subject} includes the context`;
  const failed = constraints.find((constraint) => !constraint.matched);
  return `${subject} does not include the context: ${failed ? describeConstraint(failed) : ""}`;
}

/** Describes an activation; nothing if it matches every context. */
export function describeActivation(activation: ActivationExplanation): readonly string[] {
  const { matched, rollout, list, problem } = activation;
  if (problem !== undefined) return [problem];
  if (list !== undefined) {
    const subject =
      list.actual === null ? `${list.field} is absent and` : `${list.field} "${list.actual}"`;
    return [`${subject} ${matched ? "is" : "is not"} ${joinValues(list.values)}`];
  }
  if (rollout !== undefined) return describeRollout(rollout, matched);
  return matched ? [] : ["its condition is not met"];
}

function describeRollout(rollout: RolloutExplanation, matched: boolean): readonly string[] {
  const { percentage, stickiness, field, value, bucket } = rollout;
  if (percentage === 0) return ["its rollout is 0 %"];
  if (bucket === undefined) return [`its rollout requires ${article(stickiness)}`];
  if (percentage === 100) return [];
  const id = field === undefined ? "a random id" : `${field} "${value}"`;
  const includes = matched ? "includes" : "includes only";
  return [
    `${id} is in bucket ${bucket}, and the rollout ${includes} the first ${percentage} of 100`,
  ];
}

function article(stickiness: string): string {
  return `${stickiness}, which is absent`;
}

/** Returns `DK, NO or 5 others`. */
function joinValues({ shown, count }: AbbreviatedList): string {
  const named = shown.slice(0, MAX_NAMED).map((value) => JSON.stringify(value));
  const others = count - named.length;
  if (others > 0) named.push(others === 1 ? "1 other" : `${others} others`);
  return named.length < 2 ? named.join("") : `${named.slice(0, -1).join(", ")} or ${named.at(-1)}`;
}
