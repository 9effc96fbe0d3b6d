import { compileDependencies } from "../compile/compile-dependencies.ts";
import type { FindParent } from "../compile/compile-dependencies.ts";
import { compileFlag } from "../compile/compile-flag.ts";
import { createEvaluator, selectOutcome } from "../evaluate/decision.ts";
import type { Feature } from "../parse/model.ts";
import type { ExplanationScope } from "./scope.ts";

/** The index of a parent, which is evaluated on its own. */
const NO_INDEX = -1;

/**
 * Whether the next evaluation of the same context can have another result. An explanation also reads the parts that
 * decide nothing, such as the random id for a rollout after a constraint that is not satisfied, so this evaluates the
 * flag as a snapshot does.
 */
export function mayChange(feature: Feature, explanation: ExplanationScope): boolean {
  const { request, scope } = explanation.evaluation();
  const findParent: FindParent = (name) => {
    const parent = explanation.find(name);
    if (parent === undefined) return undefined;
    if (parent.dependencies.length > 0) return "has parents";
    const { compiled, decision, selector } = compileFlag(parent, true, scope);
    const evaluator = createEvaluator(NO_INDEX, decision, selector);
    return { compiled, evaluator, hasParents: false };
  };
  const parentsSatisfied = compileDependencies(feature, findParent, scope.report);
  selectOutcome(compileFlag(feature, parentsSatisfied, scope).selector, request);
  return !request.isRepeatable;
}
