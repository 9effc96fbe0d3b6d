import { all } from "../evaluate/condition.ts";
import type { Condition } from "../evaluate/condition.ts";
import { selectOutcome } from "../evaluate/outcome-selector.ts";
import type { Outcome } from "../outcome.ts";
import type { Report } from "../parse/diagnostics.ts";
import type { Dependency, Feature } from "../parse/model.ts";
import type { SnapshotFlag } from "../snapshot.ts";

/** Finds a compiled flag without parents. A flag that has parents cannot be a parent itself. */
export type FindParent = (name: string) => SnapshotFlag | "has parents" | undefined;

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
    const problem = parent === undefined ? "is not in the document" : "has a parent itself";
    report(`Parent ${JSON.stringify(dependency.feature)} ${problem}: the flag is off`);
    return false;
  }
  return parentCondition(dependency, parent);
}

function parentCondition(
  dependency: Dependency,
  { compiled, index: parentIndex, selector }: SnapshotFlag,
): Condition {
  const isSatisfiedBy = (index: number): boolean => {
    const outcome = compiled.outcomes[index];
    return outcome !== undefined && isSatisfied(dependency, outcome);
  };
  if (typeof selector === "number") return isSatisfiedBy(selector);
  return (request) =>
    isSatisfiedBy(request.outcomeAt(parentIndex) ?? selectOutcome(selector, request));
}

export function isSatisfied({ enabled, variants }: Dependency, outcome: Outcome): boolean {
  if (!enabled) return !outcome.enabled;
  if (variants.length === 0) return outcome.enabled;
  return outcome.enabled && variants.includes(outcome.variant?.name ?? "disabled");
}
