import type { Reason } from "../outcome.ts";
import type { Feature, Strategy, Variant } from "../parse/model.ts";
import { toActivationStrategy } from "../strategies/custom.ts";
import { textOf } from "../strategies/parameters.ts";
import { BUILT_IN_STRATEGIES } from "../strategies/registry.ts";
import type { Activation } from "../strategies/strategy.ts";
import { compileConstraints } from "../constraints/compile-constraint.ts";
import { NO_VARIANT, compileVariants } from "./compile-variants.ts";
import type { VariantChoice } from "./compile-variants.ts";
import { all } from "../evaluate/condition.ts";
import type { Predicate } from "../evaluate/condition.ts";
import { resolve, type Answer } from "../evaluate/decision.ts";
import type { OutcomeTable } from "./outcome-table.ts";
import type { FeatureScope } from "./scope.ts";
import { Split } from "../evaluate/rollout.ts";

/** One strategy of a flag, compiled: when it matches, and the answer when it does. */
export interface Rule {
  readonly condition: Predicate | true;
  readonly answer: Answer;
}

/** What the rules of one flag share. */
export interface RuleTarget {
  readonly feature: Feature;
  readonly outcomes: OutcomeTable;
  readonly scope: FeatureScope;
}

/** Compiles one strategy of a flag; undefined when it can never match. */
export function compileRule(strategy: Strategy, target: RuleTarget): Rule | undefined {
  const constraints = all(compileConstraints(strategy, target.scope));
  const activation = activate(strategy, target.scope);
  const condition = all([constraints, activation.condition]);
  if (condition === false) return undefined;
  const targeted = activation.reason === "STATIC" && condition !== true;
  const reason = targeted ? "TARGETING_MATCH" : activation.reason;
  return { condition, answer: compileAnswer(strategy, reason, target) };
}

/** A flag without strategies is on for everybody. */
export function compileUnconditional(target: RuleTarget): Answer {
  return featureResponse("STATIC", target);
}

function activate(strategy: Strategy, scope: FeatureScope): Activation {
  const { name, parameters } = strategy;
  const custom = scope.customStrategies.get(name);
  const activation =
    custom === undefined
      ? BUILT_IN_STRATEGIES.get(name)
      : toActivationStrategy(custom, scope.feature, scope.reportStrategyError);
  if (activation !== undefined) return activation(parameters, scope);
  scope.report(`Strategy ${JSON.stringify(name)} is not known here: it never matches`);
  return { condition: false, reason: "DEFAULT" };
}

/** The variant of the strategy, else that of the flag, else none. */
function compileAnswer(strategy: Strategy, reason: Reason, target: RuleTarget): Answer {
  const { variants, parameters } = strategy;
  if (variants.length === 0) return featureResponse(reason, target);
  const choice = compileVariants(
    {
      variants,
      // NOTE: as in the official SDK, a missing group is the text "undefined".
      group: textOf(parameters["groupId"]),
      stickiness: variants[0]?.stickiness || parameters["stickiness"],
    },
    target.scope.fields,
  );
  const otherwise = featureResponse(reason, target);
  return answerOf(choice, { variants, otherwise, reason }, target.outcomes);
}

function featureResponse(reason: Reason, { feature, outcomes, scope }: RuleTarget): Answer {
  const { name, variants } = feature;
  const stickiness = variants[0]?.stickiness ?? "default";
  const choice = compileVariants({ variants, group: name, stickiness }, scope.fields);
  return answerOf(choice, { variants, otherwise: outcomes.on(reason), reason }, outcomes);
}

interface VariantAnswers {
  readonly variants: readonly Variant[];
  /** The answer when no variant is selected. */
  readonly otherwise: Answer;
  readonly reason: Reason;
}

function answerOf(choice: VariantChoice, answers: VariantAnswers, outcomes: OutcomeTable): Answer {
  const { variants, otherwise, reason } = answers;
  if (typeof choice === "number") {
    return choice === NO_VARIANT ? otherwise : outcomes.on(reason, variants[choice]);
  }
  const positions = variants.map((variant) => outcomes.on("SPLIT", variant));
  if (choice instanceof Split && typeof otherwise === "number") {
    return choice.map((variant) => positions[variant] ?? otherwise);
  }
  return (request) => positions[resolve(choice, request)] ?? resolve(otherwise, request);
}
