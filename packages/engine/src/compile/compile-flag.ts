import { compileConstraints } from "../constraints/compile-constraint.ts";
import type { ConstraintScope } from "../constraints/compile-constraint.ts";
import { all } from "../evaluate/condition.ts";
import type { Condition, Predicate } from "../evaluate/condition.ts";
import { firstMatching, selectOutcome, toSelector } from "../evaluate/outcome-selector.ts";
import type { OutcomeSelector } from "../evaluate/outcome-selector.ts";
import { Rollout } from "../evaluate/rollout.ts";
import { OFF } from "../outcome.ts";
import type { Outcome, Reason, SelectedVariant } from "../outcome.ts";
import type { Feature, Strategy, Variant } from "../parse/model.ts";
import type { CompilationInputs, SnapshotFlag } from "../snapshot.ts";
import { checkParameters } from "../strategies/check-parameters.ts";
import { toActivationStrategy } from "../strategies/custom.ts";
import { BUILT_IN_STRATEGIES } from "../strategies/implementations.ts";
import { parameterText } from "../strategies/strategy.ts";
import type { Activation } from "../strategies/strategy.ts";
import { NO_VARIANT, compileVariants } from "./compile-variants.ts";
import type { VariantSelection, VariantSelector } from "./compile-variants.ts";

/** The inputs that the compilations of all rules of a flag share. `report` receives the problems of its parts. */
export type FlagScope = CompilationInputs & ConstraintScope;

interface FlagCompilation {
  readonly feature: Feature;
  readonly outcomes: OutcomeTable;
  /** The selection among the variants of the flag, which its strategies share. */
  readonly variantSelectors: Map<Reason, OutcomeSelector>;
  readonly scope: FlagScope;
}

/** Compiles a flag. `parentsSatisfied` is the condition under which it may be on. */
export function compileFlag(
  feature: Feature,
  parentsSatisfied: Condition,
  scope: FlagScope,
): Pick<SnapshotFlag, "compiled" | "selector"> {
  const outcomes = new OutcomeTable(feature.enabled ? "DEFAULT" : "DISABLED");
  const outcome = compileStrategies({ feature, outcomes, variantSelectors: new Map(), scope });
  const selector =
    outcome === OFF ? OFF : toSelector({ condition: parentsSatisfied, outcome, otherwise: OFF });
  const compiled = Object.freeze({
    ...feature.details,
    outcomes: outcomes.outcomes(),
    constantOutcome: typeof selector === "number" ? selector : undefined,
  });
  return { compiled, selector };
}

/** With more strategies, the others are evaluated in a loop: thousands of nested functions would exceed the stack. */
const MAX_NESTED = 100;

function compileStrategies(flag: FlagCompilation): OutcomeSelector {
  const { enabled, strategies } = flag.feature;
  if (!enabled || strategies === undefined) return OFF;
  if (strategies.length === 0) return compileFlagVariants("STATIC", flag);
  const rules = compileRules(strategies, flag);
  return rules
    .slice(0, MAX_NESTED)
    .reduceRight<OutcomeSelector>(
      (otherwise, rule) => toSelector({ ...rule, otherwise }),
      firstMatching(rules.slice(MAX_NESTED)),
    );
}

interface Rule {
  readonly condition: Predicate | true;
  readonly outcome: OutcomeSelector;
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

/** Compiles one strategy of a flag. Returns undefined if it never matches. */
function compileStrategy(strategy: Strategy, flag: FlagCompilation): Rule | undefined {
  // Its malformed part has been reported.
  if (strategy.constraints.includes(undefined)) return undefined;
  reportParameters(strategy, flag.scope);
  const constraints = all(compileConstraints(strategy, flag.scope));
  const activation = compileActivation(strategy, flag.feature, flag.scope);
  const condition = all([constraints, activation.condition]);
  if (condition === false) return undefined;
  const isTargeted = activation.reason === "STATIC" && condition !== true;
  const reason = isTargeted ? "TARGETING_MATCH" : activation.reason;
  return { condition, outcome: compileOutcome(strategy, reason, flag) };
}

function reportParameters(
  { name, parameters }: Strategy,
  { customStrategies, report }: FlagScope,
): void {
  if (customStrategies.has(name)) return;
  for (const { parameter, message } of checkParameters(name, parameters)) {
    report(`${parameter} ${message}`);
  }
}

/** Compiles when a strategy matches, apart from its constraints. */
export function compileActivation(
  { name, parameters }: Strategy,
  feature: Feature,
  scope: FlagScope,
): Activation {
  const custom = scope.customStrategies.get(name);
  const activation =
    custom === undefined
      ? BUILT_IN_STRATEGIES.get(name)
      : toActivationStrategy(custom, feature.name, scope.reportStrategyError);
  if (activation !== undefined) return activation(parameters, scope);
  scope.report(`Strategy ${JSON.stringify(name)} is unknown: it never matches`);
  return { condition: false, reason: "DEFAULT" };
}

/** On with a variant of the strategy, else with a variant of the flag, else without a variant. */
function compileOutcome(
  strategy: Strategy,
  reason: Reason,
  flag: FlagCompilation,
): OutcomeSelector {
  const { variants } = strategy;
  const otherwise = compileFlagVariants(reason, flag);
  if (variants.length === 0) return otherwise;
  const selector = compileVariants(variantsOfStrategy(strategy), flag.scope.fields);
  return toOutcome(selector, { variants, otherwise, reason }, flag.outcomes);
}

/** NOTE: compiled once for each reason, since a flag can have thousands of strategies and thousands of variants. */
function compileFlagVariants(
  reason: Reason,
  { feature, outcomes, variantSelectors, scope }: FlagCompilation,
): OutcomeSelector {
  const known = variantSelectors.get(reason);
  if (known !== undefined) return known;
  const { variants } = feature;
  const selector = compileVariants(variantsOfFlag(feature), scope.fields);
  const options = { variants, otherwise: outcomes.on(reason), reason };
  const compiled = toOutcome(selector, options, outcomes);
  variantSelectors.set(reason, compiled);
  return compiled;
}

export function variantsOfStrategy({ variants, parameters }: Strategy): VariantSelection {
  return {
    variants,
    // NOTE: as in the official SDK, a missing group is the text "undefined".
    group: parameterText(parameters["groupId"]),
    stickiness: variants[0]?.stickiness || parameters["stickiness"],
  };
}

export function variantsOfFlag({ name, variants }: Feature): VariantSelection {
  return { variants, group: name, stickiness: variants[0]?.stickiness ?? "default" };
}

interface VariantOutcomes {
  readonly variants: readonly Variant[];
  readonly otherwise: OutcomeSelector;
  readonly reason: Reason;
}

function toOutcome(
  selector: VariantSelector,
  { variants, otherwise, reason }: VariantOutcomes,
  outcomes: OutcomeTable,
): OutcomeSelector {
  if (typeof selector === "number") {
    return selector === NO_VARIANT ? otherwise : outcomes.on(reason, variants[selector]);
  }
  const indexes = variants.map((variant) => outcomes.on("SPLIT", variant));
  if (selector instanceof Rollout && typeof otherwise === "number") {
    return selector.map((variant) => indexes[variant] ?? otherwise);
  }
  return (request) =>
    indexes[selectOutcome(selector, request)] ?? selectOutcome(otherwise, request);
}

/** Collects the possible outcomes of one flag. Equal outcomes share one index. */
class OutcomeTable {
  readonly #outcomes: Outcome[];
  readonly #indexes = new Map<string, number>();

  constructor(reasonWhenOff: Reason) {
    this.#outcomes = [Object.freeze({ enabled: false, variant: undefined, reason: reasonWhenOff })];
  }

  on(reason: Reason, variant?: Variant): number {
    const key = JSON.stringify([reason, variant?.name, variant?.payload]);
    const existing = this.#indexes.get(key);
    if (existing !== undefined) return existing;
    const outcome = { enabled: true, variant: variant && toSelected(variant), reason };
    const index = this.#outcomes.push(Object.freeze(outcome)) - 1;
    this.#indexes.set(key, index);
    return index;
  }

  outcomes(): readonly Outcome[] {
    return Object.freeze(this.#outcomes);
  }
}

function toSelected({ name, payload }: Variant): SelectedVariant {
  return Object.freeze(payload === undefined ? { name } : { name, payload });
}
