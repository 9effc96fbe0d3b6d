import { and, eq, inArray, isNull, ne, notInArray } from "drizzle-orm";
import { invalidOperation, notFound } from "../../errors.ts";
import { type Database, orderByText, sortDistinct } from "../../storage/database.ts";
import { dependencies, featureEnvironments, features } from "../../storage/schema/features.ts";
import { strategies } from "../../storage/schema/strategies.ts";
import type { WriteTransaction } from "../../storage/storage.ts";
import {
  type Feature,
  type FeatureAddress,
  findFeature,
  getActiveFeature,
  getFeature,
} from "../feature.ts";
import type { DependencyInput } from "./schemas.ts";

/** The state that a flag (child) requires of another flag (parent), as stored. */
export type Dependency = typeof dependencies.$inferSelect;

/** Applies the defaults: the parent must be on, with any variant. */
export function toDependency(
  child: string,
  { feature: parent, enabled = true, variants = [] }: DependencyInput,
): Dependency {
  return { child, parent, enabled, variants: enabled ? variants : [] };
}

/** Converts a dependency to the form that events show. */
export function toDependencyView({ parent, enabled, variants }: Dependency) {
  return { feature: parent, enabled, ...(variants.length > 0 && { variants }) };
}

/** Determines whether a flag may depend on another one. */
interface DependencyCandidate {
  readonly child: string;
  readonly parent: string;
  /** Whether the parent is an active flag of the same project. */
  readonly isParentActive: boolean;
  /** Whether the parent itself depends on another flag. */
  readonly hasParentParent: boolean;
  /** A flag that depends on the child, if there is one. */
  readonly grandchild: string | undefined;
}

/**
 * Checks that both flags are in the same project and that the dependency does not form a chain.
 *
 * @throws {ApiError} if the child must not depend on the parent
 */
export function checkDependency(candidate: DependencyCandidate): void {
  const { child, parent, grandchild } = candidate;
  const name = JSON.stringify(parent);
  if (parent === child) throw invalidOperation("A flag cannot depend on itself");
  if (!candidate.isParentActive) {
    throw invalidOperation(`There is no active flag ${name} in the project to depend on`);
  }
  if (candidate.hasParentParent) {
    throw invalidOperation(
      `The flag ${name} itself depends on another flag: choose one that depends on none`,
    );
  }
  if (grandchild !== undefined) {
    throw invalidOperation(
      `The flag ${JSON.stringify(grandchild)} depends on this one: remove that dependency first`,
    );
  }
}

/**
 * Makes a flag depend on another one. This replaces its previous dependency.
 *
 * @throws {ApiError} if the flag is unknown or archived, or must not depend on the parent
 */
export async function setParent(
  { db, record }: WriteTransaction,
  address: FeatureAddress,
  input: DependencyInput,
): Promise<void> {
  const { name: child, project } = await getActiveFeature(db, address);
  const dependency = toDependency(child, input);
  checkDependency(await readCandidate(db, project, dependency));
  const before = await findDependency(db, child);
  await db
    .insert(dependencies)
    .values(dependency)
    .onConflictDoUpdate({ target: dependencies.child, set: dependency });
  await record({
    type: "feature-dependency-added",
    project,
    feature: child,
    ...(before !== undefined && { before: toDependencyView(before) }),
    after: toDependencyView(dependency),
  });
}

async function readCandidate(
  db: Database,
  project: string,
  { child, parent }: Dependency,
): Promise<DependencyCandidate> {
  const found = await findFeature(db, parent);
  const [link] = await db
    .select()
    .from(dependencies)
    .where(eq(dependencies.parent, child))
    .limit(1);
  return {
    child,
    parent,
    isParentActive: found?.archivedAt === null && found.project === project,
    hasParentParent: (await findDependency(db, parent)) !== undefined,
    grandchild: link?.child,
  };
}

/** Removes the dependency of a flag on one parent, if there is one. */
export async function removeParent(
  { db, record }: WriteTransaction,
  address: FeatureAddress,
  parent: string,
): Promise<void> {
  const { name: child, project } = await getFeature(db, address);
  const [removed] = await db
    .delete(dependencies)
    .where(and(eq(dependencies.child, child), eq(dependencies.parent, parent)))
    .returning();
  if (removed === undefined) {
    throw notFound(
      `The flag ${JSON.stringify(child)} does not depend on ${JSON.stringify(parent)}`,
    );
  }
  await record({
    type: "feature-dependency-removed",
    project,
    feature: child,
    before: toDependencyView(removed),
  });
}

/** Removes all dependencies of a flag. */
export async function removeParents(
  transaction: WriteTransaction,
  address: FeatureAddress,
): Promise<void> {
  await removeParentsOf(transaction, [await getFeature(transaction.db, address)]);
}

/** Removes all dependencies of several flags. */
export async function removeParentsOf(
  { db, record }: WriteTransaction,
  children: readonly Feature[],
): Promise<void> {
  const projectOf = new Map(children.map(({ name, project }) => [name, project]));
  const removed = await db
    .delete(dependencies)
    .where(inArray(dependencies.child, [...projectOf.keys()]))
    .returning();
  await record(
    ...removed.map((dependency) => ({
      type: "feature-dependencies-removed" as const,
      project: projectOf.get(dependency.child) ?? "",
      feature: dependency.child,
      before: [toDependencyView(dependency)],
      after: [],
    })),
  );
}

async function findDependency(db: Database, child: string): Promise<Dependency | undefined> {
  const [found] = await db.select().from(dependencies).where(eq(dependencies.child, child));
  return found;
}

/** Lists the names of the flags that a flag may depend on. */
export async function listPossibleParents(
  db: Database,
  address: FeatureAddress,
): Promise<string[]> {
  const { name, project } = await getFeature(db, address);
  const children = db.select({ child: dependencies.child }).from(dependencies);
  const rows = await db
    .select({ name: features.name })
    .from(features)
    .where(
      and(
        eq(features.project, project),
        isNull(features.archivedAt),
        ne(features.name, name),
        notInArray(features.name, children),
      ),
    )
    .orderBy(orderByText(features.name));
  return rows.map((row) => row.name);
}

/** Lists the names of the variants of a flag in all environments. */
export async function listVariantNames(db: Database, address: FeatureAddress): Promise<string[]> {
  const { name } = await getFeature(db, address);
  const ofStrategies = await db
    .select({ variants: strategies.variants })
    .from(strategies)
    .where(eq(strategies.feature, name));
  const ofEnvironments = await db
    .select({ variants: featureEnvironments.variants })
    .from(featureEnvironments)
    .where(eq(featureEnvironments.feature, name));
  const names = [...ofStrategies, ...ofEnvironments].flatMap(({ variants }) =>
    variants.map((variant) => variant.name),
  );
  return sortDistinct(names);
}

export async function hasAnyDependency(db: Database): Promise<boolean> {
  const [found] = await db.select().from(dependencies).limit(1);
  return found !== undefined;
}
