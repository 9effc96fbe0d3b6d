import type { Feature, Strategy } from "../parse/model.ts";
import type { CompiledFlag } from "../snapshot.ts";
import { compileRule, compileUnconditional } from "./compile-strategy.ts";
import type { Rule, RuleTarget } from "./compile-strategy.ts";
import type { Condition } from "../evaluate/condition.ts";
import { decided, toAnswer } from "../evaluate/decision.ts";
import type { Answer, Decision } from "../evaluate/decision.ts";
import { OFF, OutcomeTable } from "./outcome-table.ts";
import type { FeatureScope } from "./scope.ts";

/** A compiled flag and how to evaluate it. */
export interface FeatureEvaluation {
  readonly compiled: CompiledFlag;
  readonly decision: Decision;
  /** What the decision comes to. */
  readonly answer: Answer;
}

/** Compiles a flag, given the condition under which its parents allow it to be on. */
export function compileFeature(
  feature: Feature,
  parentsAllow: Condition,
  scope: FeatureScope,
): FeatureEvaluation {
  const outcomes = new OutcomeTable(feature.enabled ? "DEFAULT" : "DISABLED");
  const decision = guard(parentsAllow, compileStrategies({ feature, outcomes, scope }));
  const answer = toAnswer(decision);
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
    decision,
    answer,
  };
}

function guard(parentsAllow: Condition, decision: Decision): Decision {
  const answer = toAnswer(decision);
  if (parentsAllow === true || answer === OFF) return decision;
  return { condition: parentsAllow, answer, otherwise: OFF };
}

/** The strategies are tried in order, and the first that matches decides. */
function compileStrategies(target: RuleTarget): Decision {
  const { enabled, strategies } = target.feature;
  if (!enabled || strategies === undefined) return decided(OFF);
  if (strategies.length === 0) return decided(compileUnconditional(target));
  const [first, ...rest] = compileRules(strategies, target);
  if (first === undefined) return decided(OFF);
  const otherwise = rest.reduceRight<Answer>(
    (next, rule) => toAnswer({ ...rule, otherwise: next }),
    OFF,
  );
  return { ...first, otherwise };
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
