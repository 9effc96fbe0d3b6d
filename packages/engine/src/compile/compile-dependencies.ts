import type { Outcome } from "../outcome.ts";
import type { Dependency, Feature } from "../parse/model.ts";
import type { EvaluableFeature } from "../evaluate/evaluation-request.ts";
import type { CompiledFlag } from "../snapshot.ts";
import type { Report } from "../parse/diagnostic.ts";
import { all } from "../evaluate/condition.ts";
import type { Condition } from "../evaluate/condition.ts";

/** A flag that others may depend on: one that has no parents itself. */
export interface Parent {
  readonly evaluable: EvaluableFeature;
  readonly compiled: CompiledFlag;
}

/** What is known of a name: a parent, a flag with parents of its own, or nothing. */
export type FindParent = (name: string) => Parent | "has parents" | undefined;

/** Holds when every parent of the flag is as the flag requires. */
export function compileDependencies(
  { dependencies }: Feature,
  find: FindParent,
  report: Report,
): Condition {
  return all(dependencies.map((dependency) => compileDependency(dependency, find, report)));
}

function compileDependency(
  dependency: Dependency | undefined,
  find: FindParent,
  report: Report,
): Condition {
  if (dependency === undefined) return false;
  const parent = find(dependency.feature);
  if (parent === undefined || parent === "has parents") {
    const why = parent === undefined ? "is not in the document" : "has parents itself";
    report(`Parent ${JSON.stringify(dependency.feature)} ${why}: the flag is off`);
    return false;
  }
  return parentCondition(dependency, parent);
}

function parentCondition(dependency: Dependency, { evaluable, compiled }: Parent): Condition {
  const satisfied = compiled.outcomes.map((outcome) => isSatisfied(dependency, outcome));
  const { constantOutcome } = compiled;
  if (constantOutcome !== undefined) return satisfied[constantOutcome] === true;
  return (request) => satisfied[request.outcomeOf(evaluable)] === true;
}

function isSatisfied({ enabled, variants }: Dependency, outcome: Outcome): boolean {
  if (!enabled) return !outcome.enabled;
  if (variants.length === 0) return outcome.enabled;
  return outcome.enabled && variants.includes(outcome.variant?.name ?? "disabled");
}
