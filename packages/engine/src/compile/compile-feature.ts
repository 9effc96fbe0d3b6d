import type { Feature, Strategy } from "../parse/model.ts";
import type { EvaluationRequest } from "../request/evaluation-request.ts";
import type { CompiledFeature } from "../snapshot.ts";
import { compileRule, compileUnconditional } from "./compile-rule.ts";
import type { Answer, Rule, RuleTarget } from "./compile-rule.ts";
import type { Condition } from "./condition.ts";
import { OFF, OutcomeTable } from "./outcome-table.ts";
import type { FeatureScope } from "./scope.ts";

/** A compiled flag and how to evaluate it, when its answer is not a constant. */
export interface FeatureEvaluation {
  readonly compiled: CompiledFeature;
  readonly evaluate: (request: EvaluationRequest) => number;
}

/** Compiles a flag, given the condition under which its parents allow it to be on. */
export function compileFeature(
  feature: Feature,
  parentsAllow: Condition,
  scope: FeatureScope,
): FeatureEvaluation {
  const outcomes = new OutcomeTable(feature.enabled ? "DEFAULT" : "DISABLED");
  const answer = guard(parentsAllow, compileStrategies({ feature, outcomes, scope }));
  return {
    compiled: Object.freeze({
      name: feature.name,
      type: feature.type,
      project: feature.project,
      stale: feature.stale,
      impressionData: feature.impressionData,
      outcomes: outcomes.outcomes(),
      constantOutcome: typeof answer === "number" ? answer : undefined,
    }),
    evaluate: typeof answer === "number" ? () => answer : answer,
  };
}

function guard(condition: Condition, answer: Answer): Answer {
  if (condition === true || answer === OFF) return answer;
  if (condition === false) return OFF;
  return typeof answer === "number"
    ? (request) => (condition(request) ? answer : OFF)
    : (request) => (condition(request) ? answer(request) : OFF);
}

/** The strategies are tried in order, and the first that matches decides. */
function compileStrategies(target: RuleTarget): Answer {
  const { enabled, strategies } = target.feature;
  if (!enabled || strategies === undefined) return OFF;
  if (strategies.length === 0) return compileUnconditional(target);
  return compileRules(strategies, target).reduceRight<Answer>(chain, OFF);
}

/** The rules that can decide: none that never match, none behind one that always does. */
function compileRules(strategies: readonly Strategy[], target: RuleTarget): readonly Rule[] {
  const rules: Rule[] = [];
  for (const strategy of strategies) {
    const rule = compileRule(strategy, target);
    if (rule !== undefined) rules.push(rule);
    if (rule?.condition === true) break;
  }
  return rules;
}

/** What a rule and, when it does not match, the rules after it say. */
function chain(next: Answer, { condition, answer }: Rule): Answer {
  if (condition === true) return answer;
  return (request) => {
    const decided = condition(request) ? answer : next;
    return typeof decided === "number" ? decided : decided(request);
  };
}
