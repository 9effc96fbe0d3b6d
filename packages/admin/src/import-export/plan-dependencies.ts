import { checkParent } from "../domain/dependencies/check-parent.ts";
import {
  type Dependency,
  toDependency,
  toDependencyView,
} from "../domain/dependencies/dependency.ts";
import { isEqualJson } from "../storage/database.ts";
import { checkAtPath } from "./at-path.ts";
import type { ImportTarget } from "./import-target.ts";
import type { Planning } from "./plan-feature.ts";
import type { FeatureInFile } from "./schemas.ts";

/** Plans what features depend on. Only how it will be counts: a parent and a child may change places. */
export function planDependencies(planning: Planning, inFile: readonly FeatureInFile[]): void {
  const before = byChild(planning.target.dependencies);
  const after = applyFile(before, inFile);
  const childOf = new Map(Array.from(after.values(), ({ child, parent }) => [parent, child]));
  const isActive = createActivityCheck(planning.target, inFile);
  for (const [index, { name, dependencies }] of inFile.entries()) {
    const wanted = after.get(name);
    if (dependencies !== undefined && wanted !== undefined) {
      checkAtPath(`/body/features/${index}/dependencies/0`, () =>
        checkParent({
          child: name,
          parent: wanted.parent,
          isParentActive: isActive(wanted.parent),
          hasParentParent: after.has(wanted.parent),
          grandchild: childOf.get(name),
        }),
      );
    }
    planDependency(planning, name, { before: before.get(name), after: wanted });
  }
}

type ByChild = ReadonlyMap<string, Dependency>;

function byChild(dependencies: readonly Dependency[]): ByChild {
  return new Map(dependencies.map((dependency) => [dependency.child, dependency]));
}

function applyFile(before: ByChild, inFile: readonly FeatureInFile[]): ByChild {
  const after = new Map(before);
  for (const { name, dependencies } of inFile) {
    if (dependencies === undefined) continue;
    const [parent] = dependencies;
    if (parent === undefined) after.delete(name);
    else after.set(name, toDependency(name, parent));
  }
  return after;
}

function createActivityCheck(
  { project, features }: ImportTarget,
  inFile: readonly FeatureInFile[],
): (name: string) => boolean {
  const imported = new Set(inFile.map(({ name }) => name));
  return (name) => {
    const feature = features.get(name);
    return imported.has(name) || (feature?.project === project && feature.archivedAt === null);
  };
}

interface Difference {
  readonly before: Dependency | undefined;
  readonly after: Dependency | undefined;
}

function planDependency(
  { target, changes }: Planning,
  feature: string,
  { before, after }: Difference,
): void {
  const about = { project: target.project, feature };
  if (isEqualJson(before, after)) return;
  if (after !== undefined) {
    changes.dependencies.push(after);
    changes.events.push({
      type: "feature-dependency-added",
      ...about,
      ...(before !== undefined && { before: toDependencyView(before) }),
      after: toDependencyView(after),
    });
  } else if (before !== undefined) {
    changes.freed.push(feature);
    changes.events.push({
      type: "feature-dependencies-removed",
      ...about,
      before: [toDependencyView(before)],
      after: [],
    });
  }
}
