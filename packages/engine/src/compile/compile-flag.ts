import type { Condition } from "../evaluate/condition.ts";
import { firstMatching, toSelector, unconditional } from "../evaluate/decision.ts";
import type { Decision, OutcomeSelector } from "../evaluate/decision.ts";
import { OFF } from "../outcome.ts";
import type { Feature, Strategy } from "../parse/model.ts";
import type { CompiledFlag } from "../snapshot.ts";
import { compileStrategy, compileWithoutStrategies } from "./compile-strategy.ts";
import type { FlagCompilation, FlagScope, Rule } from "./compile-strategy.ts";
import { OutcomeTable } from "./outcome-table.ts";

/** A compiled flag and how to evaluate it. */
interface FlagDecision {
  readonly compiled: CompiledFlag;
  readonly decision: Decision;
  /** The simplest form of the decision. */
  readonly selector: OutcomeSelector;
}

/** Compiles a flag. `parentsSatisfied` is the condition under which it may be on. */
export function compileFlag(
  feature: Feature,
  parentsSatisfied: Condition,
  scope: FlagScope,
): FlagDecision {
  const outcomes = new OutcomeTable(feature.enabled ? "DEFAULT" : "DISABLED");
  const ownDecision = compileStrategies({ feature, outcomes, scope });
  const decision = requireParents(parentsSatisfied, ownDecision);
  const selector = toSelector(decision);
  return {
    compiled: Object.freeze({
      name: feature.name,
      type: feature.type,
      project: feature.project,
      stale: feature.stale,
      impressionData: feature.impressionData,
      outcomes: outcomes.outcomes(),
      constantOutcome: typeof selector === "number" ? selector : undefined,
    }),
    decision,
    selector,
  };
}

function requireParents(parentsSatisfied: Condition, decision: Decision): Decision {
  const outcome = toSelector(decision);
  if (parentsSatisfied === true || outcome === OFF) return decision;
  return { condition: parentsSatisfied, outcome, otherwise: OFF };
}

/** With more strategies, the others are evaluated in a loop: thousands of nested functions would exceed the stack. */
const MAX_NESTED = 100;

/** Strategies are evaluated in order. The first that matches determines the outcome. */
function compileStrategies(flag: FlagCompilation): Decision {
  const { enabled, strategies } = flag.feature;
  if (!enabled || strategies === undefined) return unconditional(OFF);
  if (strategies.length === 0) return unconditional(compileWithoutStrategies(flag));
  const [first, ...rest] = compileRules(strategies, flag);
  if (first === undefined) return unconditional(OFF);
  const otherwise = rest
    .slice(0, MAX_NESTED)
    .reduceRight<OutcomeSelector>(
      (next, rule) => toSelector({ ...rule, otherwise: next }),
      firstMatching(rest.slice(MAX_NESTED)),
    );
  return { ...first, otherwise };
}

/** Omits rules that never match and rules after one that always matches. */
function compileRules(strategies: readonly Strategy[], flag: FlagCompilation): readonly Rule[] {
  const rules: Rule[] = [];
  for (const strategy of strategies) {
    const rule = compileStrategy(strategy, flag);
    if (rule !== undefined) rules.push(rule);
    if (rule?.condition === true) break;
  }
  return rules;
}
