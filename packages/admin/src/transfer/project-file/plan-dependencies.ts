import {
  checkDependency,
  type Dependency,
  toDependency,
  toDependencyView,
} from "../../domain/dependencies/store.ts";
import { isEqualJson } from "../../storage/database.ts";
import type { ImportPlan } from "./import-plan.ts";
import { withErrorPath } from "../../http/error-path.ts";
import type { ImportTarget } from "./import-target.ts";
import type { FeatureInFile } from "./schemas.ts";

/**
 * Plans the changes that make the dependencies of flags match the file. Only the resulting state is
 * checked, so a parent and its child may swap.
 */
export function planDependencies(plan: ImportPlan, inFile: readonly FeatureInFile[]): void {
  const before = toMapByChild(plan.target.dependencies);
  const after = applyFile(before, inFile);
  const childOf = new Map(Array.from(after.values(), ({ child, parent }) => [parent, child]));
  const isActive = createActivityCheck(plan.target, inFile);
  for (const [index, { name, dependencies }] of inFile.entries()) {
    const dependency = after.get(name);
    if (dependencies !== undefined && dependency !== undefined) {
      withErrorPath(`/body/features/${index}/dependencies/0`, () =>
        checkDependency({
          child: name,
          parent: dependency.parent,
          isParentActive: isActive(dependency.parent),
          hasParentParent: after.has(dependency.parent),
          grandchild: childOf.get(name),
        }),
      );
    }
    planDependency(plan, name, { before: before.get(name), after: dependency });
  }
}

type ByChild = ReadonlyMap<string, Dependency>;

function toMapByChild(dependencies: readonly Dependency[]): ByChild {
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
  { target, changes }: ImportPlan,
  feature: string,
  { before, after }: Difference,
): void {
  const common = { project: target.project, feature };
  if (isEqualJson(before, after)) return;
  if (after !== undefined) {
    changes.dependencies.push(after);
    changes.events.push({
      type: "feature-dependency-added",
      ...common,
      ...(before !== undefined && { before: toDependencyView(before) }),
      after: toDependencyView(after),
    });
  } else if (before !== undefined) {
    changes.independentFeatures.push(feature);
    changes.events.push({
      type: "feature-dependencies-removed",
      ...common,
      before: [toDependencyView(before)],
      after: [],
    });
  }
}
