import { compileActivation } from "../compile/compile-strategy.ts";
import type { Feature, Strategy } from "../parse/model.ts";
import type { ActivationRule, ListRule, RolloutRule } from "../strategies/strategy.ts";
import { explainConstraint, explainSegment } from "./explain-constraint.ts";
import type {
  ActivationExplanation,
  ListExplanation,
  RolloutExplanation,
  StrategyExplanation,
} from "./explanation.ts";
import { abbreviate, shorten } from "./scope.ts";
import type { ExplanationScope } from "./scope.ts";
import { describeActivation } from "./sentences.ts";

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
  const matched = scope.holds(activation.condition);
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
