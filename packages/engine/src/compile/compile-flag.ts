import type { Condition } from "../evaluate/condition.ts";
import { firstMatching, toSelector } from "../evaluate/outcome-selector.ts";
import type { OutcomeSelector } from "../evaluate/outcome-selector.ts";
import { OFF } from "../outcome.ts";
import type { Feature, Strategy } from "../parse/model.ts";
import type { CompiledFlag } from "../snapshot.ts";
import {
  compileStrategy,
  compileWithoutStrategies,
  createFlagCompilation,
} from "./compile-strategy.ts";
import type { FlagCompilation, FlagScope, Rule } from "./compile-strategy.ts";

/** A compiled flag and how to evaluate it. */
interface FlagWithSelector {
  readonly compiled: CompiledFlag;
  readonly selector: OutcomeSelector;
}

/** Compiles a flag. `parentsSatisfied` is the condition under which it may be on. */
export function compileFlag(
  feature: Feature,
  parentsSatisfied: Condition,
  scope: FlagScope,
): FlagWithSelector {
  const flag = createFlagCompilation(feature, scope);
  const selector = requireParents(parentsSatisfied, compileStrategies(flag));
  return {
    compiled: Object.freeze({
      name: feature.name,
      type: feature.type,
      project: feature.project,
      stale: feature.stale,
      impressionData: feature.impressionData,
      outcomes: flag.outcomes.outcomes(),
      constantOutcome: typeof selector === "number" ? selector : undefined,
    }),
    selector,
  };
}

function requireParents(parentsSatisfied: Condition, outcome: OutcomeSelector): OutcomeSelector {
  if (outcome === OFF) return OFF;
  return toSelector({ condition: parentsSatisfied, outcome, otherwise: OFF });
}

/** With more strategies, the others are evaluated in a loop: thousands of nested functions would exceed the stack. */
const MAX_NESTED = 100;

/** Strategies are evaluated in order. The first that matches determines the outcome. */
function compileStrategies(flag: FlagCompilation): OutcomeSelector {
  const { enabled, strategies } = flag.feature;
  if (!enabled || strategies === undefined) return OFF;
  if (strategies.length === 0) return compileWithoutStrategies(flag);
  const rules = compileRules(strategies, flag);
  return rules
    .slice(0, MAX_NESTED)
    .reduceRight<OutcomeSelector>(
      (otherwise, rule) => toSelector({ ...rule, otherwise }),
      firstMatching(rules.slice(MAX_NESTED)),
    );
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
