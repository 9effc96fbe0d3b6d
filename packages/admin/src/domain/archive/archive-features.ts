import { inArray } from "drizzle-orm";
import { invalidOperation } from "../../errors.ts";
import { toFeatureView } from "../features/feature-view.ts";
import {
  findInProject,
  getFeature,
  quoteNames,
  type Feature,
  type FeatureAddress,
} from "../features/find-features.ts";
import { getProject } from "../projects/find-projects.ts";
import type { Database } from "../../storage/database.ts";
import { dependencies, features } from "../../storage/schema/features.ts";
import type { WriteTransaction } from "../../storage/storage.ts";

/** Archives flags of a project. Unknown names and archived flags are passed over. */
export async function archiveFeatures(
  transaction: WriteTransaction,
  project: string,
  names: readonly string[],
): Promise<void> {
  await getProject(transaction.db, project);
  await archive(transaction, await findInProject(transaction.db, project, names));
}

export async function archiveFeature(
  transaction: WriteTransaction,
  address: FeatureAddress,
): Promise<void> {
  await archive(transaction, [await getFeature(transaction.db, address)]);
}

async function archive(transaction: WriteTransaction, listed: readonly Feature[]): Promise<void> {
  const active = listed.filter(({ archivedAt }) => archivedAt === null);
  if (active.length === 0) return;
  await refuseOrphans(transaction.db, listed);
  await dropParents(transaction, active);

  const { db, record } = transaction;
  const names = active.map(({ name }) => name);
  const archivedAt = new Date();
  await db.update(features).set({ archivedAt }).where(inArray(features.name, names));
  await record(
    ...active.map((feature) => ({
      type: "feature-archived" as const,
      project: feature.project,
      feature: feature.name,
      before: toFeatureView(feature),
      after: toFeatureView({ ...feature, archivedAt }),
    })),
  );
}

/** Parents among the flags that have a child which is not among them. */
export async function findParentsOfOthers(
  db: Database,
  names: readonly string[],
): Promise<string[]> {
  if (names.length === 0) return [];
  const links = await db
    .select()
    .from(dependencies)
    .where(inArray(dependencies.parent, [...names]));
  const listed = new Set(names);
  const parents = links.filter(({ child }) => !listed.has(child)).map(({ parent }) => parent);
  return [...new Set(parents)].toSorted();
}

/**
 * @throws {ApiError} when another flag depends on one of these
 */
export async function refuseOrphans(db: Database, listed: readonly Feature[]): Promise<void> {
  const parents = await findParentsOfOthers(
    db,
    listed.map(({ name }) => name),
  );
  if (parents.length === 0) return;
  const quoted = quoteNames(parents.map((name) => ({ name })));
  throw invalidOperation(`Other features depend on ${quoted}: include them, or free them first`);
}

async function dropParents(
  { db, record }: WriteTransaction,
  children: readonly Feature[],
): Promise<void> {
  const projectOf = new Map(children.map(({ name, project }) => [name, project]));
  const dropped = await db
    .delete(dependencies)
    .where(inArray(dependencies.child, [...projectOf.keys()]))
    .returning();
  await record(
    ...dropped.map(({ child, parent, enabled, variants }) => ({
      type: "feature-dependencies-removed" as const,
      project: projectOf.get(child) ?? "",
      feature: child,
      before: [{ feature: parent, enabled, variants }],
      after: [],
    })),
  );
}

/** What archiving these flags would mean for flags that depend on each other. */
export interface ArchiveCheck {
  readonly parentsWithChildFeatures: readonly string[];
  readonly hasDeletedDependencies: boolean;
}

export async function checkArchiving(
  db: Database,
  names: readonly string[],
): Promise<ArchiveCheck> {
  const distinct = [...new Set(names)];
  return {
    parentsWithChildFeatures: await findParentsOfOthers(db, distinct),
    hasDeletedDependencies: await hasDependencies(db, distinct),
  };
}

async function hasDependencies(db: Database, names: readonly string[]): Promise<boolean> {
  if (names.length === 0) return false;
  for (const column of [dependencies.parent, dependencies.child]) {
    const [link] = await db
      .select()
      .from(dependencies)
      .where(inArray(column, [...names]))
      .limit(1);
    if (link !== undefined) return true;
  }
  return false;
}
