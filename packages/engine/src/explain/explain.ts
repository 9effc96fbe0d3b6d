import { isSatisfied } from "../compile/compile-dependencies.ts";
import type { Context } from "../context.ts";
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
 * The result is that of an evaluation in which all rules see the same time and the same random number. Compiles each
 * part of the flag again, so it takes longer than an evaluation.
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
  const { outcome, mayChange } = scope.evaluate(feature);
  const { enabled, variant, reason } = outcome;
  const decidedBy = enabled ? strategies.findIndex(({ matched }) => matched) : -1;
  const selection = enabled
    ? explainVariant(feature, feature.strategies?.[decidedBy], scope)
    : undefined;
  const parts = {
    enabled,
    reason,
    ...(variant !== undefined && { variant }),
    enabledInEnvironment: feature.enabled,
    mayChange,
    dependencies,
    strategies,
    ...(decidedBy !== -1 && { decidedBy }),
    ...(selection !== undefined && { variantSelection: selection }),
  };
  return { name: feature.name, explanation: toSentence(parts), ...parts };
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
