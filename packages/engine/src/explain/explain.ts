import { isSatisfied, compileDependencies } from "../compile/compile-dependencies.ts";
import type { FindParent } from "../compile/compile-dependencies.ts";
import { compileFlag } from "../compile/compile-flag.ts";
import {
  compileStrategy,
  compileWithoutStrategies,
  createFlagCompilation,
} from "../compile/compile-strategy.ts";
import type { Context } from "../context.ts";
import { selectOutcome } from "../evaluate/outcome-selector.ts";
import { OFF } from "../outcome.ts";
import type { Outcome } from "../outcome.ts";
import type { Dependency, Feature } from "../parse/model.ts";
import type { Snapshot } from "../snapshot.ts";
import type { DependencyExplanation, Explanation } from "./explanation.ts";
import { explainStrategy } from "./explain-strategy.ts";
import { explainVariant } from "./explain-variant.ts";
import { ExplanationScope } from "./scope.ts";
import { describeDependency, describeRequirement, toSentence } from "./sentences.ts";

/**
 * Explains the result of a flag for a context: the state of the flag, its parents, each strategy with each
 * constraint, the rollout, the strategy that decided, and the variant.
 *
 * The result equals that of an evaluation, unless it depends on a random number or a custom strategy that
 * is not a function of the context. Compiles the flag again, so it takes longer than an evaluation.
 *
 * @returns undefined if the snapshot has no such flag
 */
export function explain(
  snapshot: Snapshot,
  flagName: string,
  context: Context,
): Explanation | undefined {
  if (snapshot.indexOf(flagName) === -1) return undefined;
  const scope = new ExplanationScope(snapshot, context);
  const feature = scope.find(flagName);
  return feature && explainFeature(feature, scope);
}

function explainFeature(feature: Feature, scope: ExplanationScope): Explanation {
  const dependencies = feature.dependencies.map((one) => explainDependency(one, scope));
  const strategies = (feature.strategies ?? []).map((strategy) =>
    explainStrategy(strategy, feature, scope),
  );
  const canBeOn = feature.enabled && dependencies.every(({ matched }) => matched);
  const decidedBy = canBeOn ? strategies.findIndex(({ matched }) => matched) : -1;
  const { enabled, variant, reason } = decide(feature, { canBeOn, decidedBy }, scope);
  const selection = enabled
    ? explainVariant(feature, feature.strategies?.[decidedBy], scope)
    : undefined;
  const parts = {
    enabled,
    reason,
    ...(variant !== undefined && { variant }),
    enabledInEnvironment: feature.enabled,
    mayChange: mayChange(feature, scope),
    dependencies,
    strategies,
    ...(decidedBy !== -1 && { decidedBy }),
    ...(selection !== undefined && { variantSelection: selection }),
  };
  return { name: feature.name, explanation: toSentence(parts), ...parts };
}

/** Returns the outcome of the strategy that decided, from the same compilation as an evaluation. */
function decide(
  feature: Feature,
  { canBeOn, decidedBy }: { readonly canBeOn: boolean; readonly decidedBy: number },
  scope: ExplanationScope,
): Outcome {
  const flag = createFlagCompilation(feature, scope.compilation().scope);
  const strategy = feature.strategies?.[decidedBy];
  const hasNoStrategies = feature.strategies?.length === 0;
  const selector =
    strategy === undefined
      ? canBeOn && hasNoStrategies && compileWithoutStrategies(flag)
      : compileStrategy(strategy, flag)?.outcome;
  const index = selector === false || selector === undefined ? OFF : selector;
  const outcome = flag.outcomes.outcomes()[selectOutcome(index, scope.request)];
  if (outcome === undefined) throw new TypeError("A selected outcome must exist");
  return outcome;
}

function explainDependency(
  dependency: Dependency | undefined,
  scope: ExplanationScope,
): DependencyExplanation {
  if (dependency === undefined) return MALFORMED_DEPENDENCY;
  const { feature: name, enabled, variants } = dependency;
  const parent = scope.find(name);
  const isHidden = parent !== undefined && !scope.isVisible(name);
  const requirement = {
    ...(!isHidden && { name }),
    requires: enabled ? ("on" as const) : ("off" as const),
    requiresVariants: enabled ? variants : [],
  };
  if (parent === undefined || parent.dependencies.length > 0) {
    const problem = parent === undefined ? "it does not exist" : "it has a parent itself";
    const explanation = `${describeRequirement(requirement)}, which is impossible: ${problem}`;
    return { ...requirement, matched: false, explanation, problem };
  }
  const { name: _, ...details } = explainFeature(parent, scope);
  const { variant, reason, explanation } = details;
  const result = { enabled: details.enabled, reason, explanation, ...(variant && { variant }) };
  const matched = isSatisfied(dependency, { variant: undefined, ...result });
  return {
    ...requirement,
    matched,
    explanation: describeDependency({ ...requirement, matched, ...(!isHidden && { result }) }),
    ...(!isHidden && { result }),
  };
}

const MALFORMED_DEPENDENCY: DependencyExplanation = {
  matched: false,
  requires: "on",
  requiresVariants: [],
  explanation: "a dependency is malformed",
  problem: "a dependency is malformed",
};

/** The index of a parent, which is evaluated on its own. */
const NO_INDEX = -1;

/**
 * Whether the next evaluation of the same context can have another result. An explanation also reads the parts that
 * decide nothing, such as the random id for a rollout after a constraint that is not satisfied, so this evaluates the
 * flag as a snapshot does.
 */
function mayChange(feature: Feature, explanation: ExplanationScope): boolean {
  const { request, scope } = explanation.evaluation();
  const findParent: FindParent = (name) => {
    const parent = explanation.find(name);
    if (parent === undefined) return undefined;
    if (parent.dependencies.length > 0) return "has parents";
    const { compiled, selector } = compileFlag(parent, true, scope);
    return { compiled, index: NO_INDEX, selector, hasParents: false };
  };
  const parentsSatisfied = compileDependencies(feature, findParent, scope.report);
  selectOutcome(compileFlag(feature, parentsSatisfied, scope).selector, request);
  return !request.isRepeatable;
}
