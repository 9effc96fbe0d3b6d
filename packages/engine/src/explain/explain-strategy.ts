import { compileActivation } from "../compile/compile-strategy.ts";
import { compileConstraint } from "../constraints/compile-constraint.ts";
import { isOperatorName, OPERATORS } from "../constraints/operator-table.ts";
import { holds } from "../evaluate/condition.ts";
import type { Feature, MaybeConstraint, Strategy } from "../parse/model.ts";
import type { ActivationRule, ListRule, RolloutRule } from "../strategies/strategy.ts";
import type {
  ActivationExplanation,
  ConstraintExplanation,
  ListExplanation,
  RolloutExplanation,
  SegmentExplanation,
  StrategyExplanation,
} from "./explanation.ts";
import { abbreviate, shorten } from "./scope.ts";
import type { ExplanationScope } from "./scope.ts";
import { describeActivation, describeConstraint } from "./sentences.ts";

/**
 * Explains a strategy. All its parts are explained, including those after one that does not match.
 */
export function explainStrategy(
  strategy: Strategy,
  feature: Feature,
  scope: ExplanationScope,
): StrategyExplanation {
  const constraints = strategy.constraints.map((one) => explainConstraint(one, scope));
  const segments = strategy.segments.map((id) => explainSegment(id, scope));
  const activation = explainActivation(strategy, feature, scope);
  return {
    name: strategy.name,
    matched: [...constraints, ...segments, activation].every(({ matched }) => matched),
    constraints,
    segments,
    activation,
  };
}

function explainActivation(
  strategy: Strategy,
  feature: Feature,
  scope: ExplanationScope,
): ActivationExplanation {
  const compilation = scope.compilation();
  const activation = compileActivation(strategy, { feature, scope: compilation.scope });
  const matched = holds(activation.condition, scope.request);
  const rule = activation.describe();
  const parts = {
    matched,
    ...describeRule(rule, scope),
    ...compilation.problem(),
  };
  const customStrategy = rule.kind === "custom" ? rule.name : undefined;
  return { ...parts, explanation: describeActivation(parts, customStrategy) };
}

function describeRule(
  rule: ActivationRule,
  scope: ExplanationScope,
): Pick<ActivationExplanation, "rollout" | "list"> {
  switch (rule.kind) {
    case "everyone":
    case "custom":
      return {};
    case "list":
      return { list: describeListRule(rule, scope) };
    case "rollout":
      return { rollout: describeRolloutRule(rule, scope) };
    default:
      return rule satisfies never;
  }
}

function describeListRule(rule: ListRule, { request }: ExplanationScope): ListExplanation {
  const actual = rule.actual(request);
  return {
    field: rule.field,
    values: abbreviate(rule.values, actual),
    actual: shorten(actual),
  };
}

function describeRolloutRule(rule: RolloutRule, scope: ExplanationScope): RolloutExplanation {
  const { percentage, stickiness } = rule;
  const groupId = rule.group(scope.request);
  const bucket = rule.bucket(scope.request);
  return {
    percentage,
    stickiness,
    ...scope.describeId(rule.id(scope.request), stickiness),
    ...(groupId !== undefined && { groupId }),
    ...(bucket !== undefined && { bucket }),
  };
}

/** Explains one constraint of a strategy or segment. */
function explainConstraint(
  constraint: MaybeConstraint,
  scope: ExplanationScope,
): ConstraintExplanation {
  const compilation = scope.compilation();
  const matched = holds(compileConstraint(constraint, compilation.scope), scope.request);
  if (constraint === undefined) return { ...MALFORMED, matched };
  const { contextName, operator, inverted, caseInsensitive, values, value } = constraint;
  const isDate = isOperatorName(operator) && OPERATORS[operator].kind === "date";
  const actual = isDate ? currentTime(scope) : scope.textOf(contextName);
  const parts = {
    contextName: isDate ? "currentTime" : contextName,
    operator,
    inverted,
    caseInsensitive,
    ...(values !== undefined && values.length > 0 && { values: abbreviate(values, actual) }),
    ...(value !== undefined && { value: typeof value === "string" ? shorten(value) : value }),
    actual,
    matched,
    ...compilation.problem(),
  };
  return { ...parts, explanation: describeConstraint(parts) };
}

const MALFORMED_PROBLEM = "The constraint is malformed: it is never satisfied";

const MALFORMED: ConstraintExplanation = {
  contextName: "",
  operator: "",
  inverted: false,
  caseInsensitive: false,
  actual: null,
  matched: false,
  explanation: MALFORMED_PROBLEM,
  problem: MALFORMED_PROBLEM,
};

function currentTime(scope: ExplanationScope): string | null {
  const timeMs = scope.request.read(scope.fields.currentTimeMs());
  // oxlint-disable-next-line no-restricted-globals -- converts a given time, never reads the clock
  return Number.isNaN(timeMs) ? null : new Date(timeMs).toISOString();
}

/** Explains a segment of a strategy. */
function explainSegment(id: unknown, scope: ExplanationScope): SegmentExplanation {
  const segment = scope.compilation().scope.segments.get(id);
  const text = typeof id === "string" ? id : (JSON.stringify(id) ?? "");
  if (segment === undefined) {
    const problem = `Segment ${text} is not in the document: the strategy never matches`;
    return { id: text, matched: false, constraints: [], explanation: problem, problem };
  }
  const constraints = segment.constraints.map((one) => explainConstraint(one, scope));
  const name = segment.name ?? text;
  const failed = constraints.find(({ matched }) => !matched);
  return {
    id: text,
    ...(segment.name !== undefined && { name: segment.name }),
    matched: failed === undefined,
    constraints,
    explanation:
      failed === undefined
        ? `the context is in the segment ${name}`
        : `the context is not in the segment ${name}: ${failed.explanation}`,
  };
}
