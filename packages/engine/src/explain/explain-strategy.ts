import { compileActivation } from "../compile/compile-strategy.ts";
import type { Feature, Strategy } from "../parse/model.ts";
import type { ActivationRule } from "../strategies/strategy.ts";
import { explainConstraint, explainSegment } from "./explain-constraint.ts";
import type { ActivationExplanation, StrategyExplanation } from "./explanation.ts";
import { abbreviate, shorten } from "./scope.ts";
import type { ExplanationScope } from "./scope.ts";
import { describeActivation } from "./words.ts";

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
  const parts = {
    matched: scope.holds(activation.condition),
    ...(activation.describe && describeRule(activation.describe(), scope)),
    ...compilation.problem(),
  };
  // Only the condition of a custom strategy can neither be described nor is constant.
  const customStrategy = activation.condition === true ? undefined : strategy.name;
  return { ...parts, explanation: describeActivation(parts, customStrategy) };
}

function describeRule(
  rule: ActivationRule,
  scope: ExplanationScope,
): Pick<ActivationExplanation, "rollout" | "list"> {
  const { request } = scope;
  if (rule.kind === "list") {
    const { field, values } = rule;
    const actual = rule.actual(request);
    return { list: { field, values: abbreviate(values, actual), actual: shorten(actual) } };
  }
  const { percentage, stickiness } = rule;
  const id = rule.id(request);
  const groupId = rule.group(request);
  const bucket = rule.bucket(request);
  return {
    rollout: {
      percentage,
      stickiness,
      ...scope.describeId(id, stickiness),
      ...(groupId !== undefined && { groupId }),
      ...(bucket !== undefined && { bucket }),
    },
  };
}
