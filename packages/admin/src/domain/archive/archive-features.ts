import { and, eq, gt, inArray, isNotNull, or, sql } from "drizzle-orm";
import type { ProjectAccess } from "../../access/project-access.ts";
import { invalidOperation, quoteNames } from "../../errors.ts";
import { type Database, isOneOf, orderByText, sortDistinct } from "../../storage/database.ts";
import { dependencies, featureEnvironments, features } from "../../storage/schema/features.ts";
import type { WriteTransaction } from "../../storage/storage.ts";
import { removeParentsOf } from "../dependencies/store.ts";
import {
  type Feature,
  type FeatureAddress,
  type FeatureView,
  findFeatures,
  findFeaturesInProject,
  getFeature,
  toFeatureView,
} from "../feature.ts";
import { type LastUse, readLastUses } from "../lifecycle/last-uses.ts";
import { getProject } from "../projects/store.ts";

/**
 * Archives flags of a project. Unknown names and archived flags are ignored.
 *
 * @throws {ApiError} if the project is unknown, a flag belongs to another project, or an unlisted
 *   flag depends on a listed one
 */
export async function archiveFeatures(
  transaction: WriteTransaction,
  project: string,
  names: readonly string[],
): Promise<void> {
  await getProject(transaction.db, project);
  await archive(transaction, await findFeaturesInProject(transaction.db, project, names));
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
  await checkNoDependents(transaction.db, listed);
  await removeParentsOf(transaction, active);

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

/**
 * @throws {ApiError} if a flag that is not listed depends on a listed one
 */
async function checkNoDependents(db: Database, listed: readonly Feature[]): Promise<void> {
  const parents = await findParentsOfOthers(
    db,
    listed.map(({ name }) => name),
  );
  if (parents.length === 0) return;
  throw invalidOperation(
    `Other flags depend on ${quoteNames(parents)}: include them, or remove their dependencies first`,
  );
}

/** Returns the listed flags on which a flag that is not listed depends, sorted by name. */
async function findParentsOfOthers(db: Database, names: readonly string[]): Promise<string[]> {
  if (names.length === 0) return [];
  const links = await db
    .select()
    .from(dependencies)
    .where(inArray(dependencies.parent, [...names]));
  const listed = new Set(names);
  const parents = links.filter(({ child }) => !listed.has(child)).map(({ parent }) => parent);
  return sortDistinct(parents);
}

/** The effect of archiving flags on the dependencies between flags. */
interface ArchiveCheck {
  readonly parentsWithChildFeatures: readonly string[];
  readonly hasDeletedDependencies: boolean;
  /** Those that were used in the last 7 days: they turn off for whoever uses them. */
  readonly usedFeatures: readonly ({ readonly name: string } & Omit<LastUse, "isInUse">)[];
}

/** Checks how archiving flags of a project would affect others. Flags of other projects are ignored. */
export async function checkArchiving(
  db: Database,
  project: string,
  names: readonly string[],
): Promise<ArchiveCheck> {
  const found = await findFeatures(db, names);
  const distinct = found.flatMap((flag) => (flag.project === project ? flag.name : []));
  return {
    parentsWithChildFeatures: await findParentsOfOthers(db, distinct),
    hasDeletedDependencies: await hasDependencies(db, distinct),
    usedFeatures: await listUsed(db, distinct),
  };
}

/** How many flags are named that are still used. */
const MAX_USED = 100;

async function listUsed(
  db: Database,
  names: readonly string[],
): Promise<ArchiveCheck["usedFeatures"]> {
  const used = await db
    .select({ name: featureEnvironments.feature })
    .from(featureEnvironments)
    .where(
      and(
        isOneOf(featureEnvironments.feature, names),
        gt(featureEnvironments.lastSeenAt, sql`now() - interval '7 days'`),
      ),
    )
    .groupBy(featureEnvironments.feature)
    .orderBy(orderByText(featureEnvironments.feature))
    .limit(MAX_USED);
  const uses = await readLastUses(
    db,
    used.map(({ name }) => name),
  );
  return Array.from(uses, ([name, { isInUse: _isInUse, ...use }]) => ({ name, ...use }));
}

async function hasDependencies(db: Database, names: readonly string[]): Promise<boolean> {
  if (names.length === 0) return false;
  const [link] = await db
    .select()
    .from(dependencies)
    .where(or(isOneOf(dependencies.parent, names), isOneOf(dependencies.child, names)))
    .limit(1);
  return link !== undefined;
}

/** Lists the archived flags of a project, or of all that are visible. */
export async function listArchived(
  db: Database,
  inProject: ProjectAccess | string,
): Promise<FeatureView[]> {
  const rows = await db
    .select()
    .from(features)
    .where(
      and(
        isNotNull(features.archivedAt),
        typeof inProject === "string"
          ? eq(features.project, inProject)
          : inProject.isVisible(features.project),
      ),
    )
    .orderBy(orderByText(features.name));
  return rows.map(toFeatureView);
}

/**
 * Deletes archived flags permanently. Unknown names and active flags are ignored.
 *
 * @throws {ApiError} if the project is unknown, a flag belongs to another project, or an unlisted
 *   flag depends on a listed one
 */
export async function deleteFeatures(
  transaction: WriteTransaction,
  project: string,
  names: readonly string[],
): Promise<void> {
  await getProject(transaction.db, project);
  await deleteArchived(transaction, await findFeaturesInProject(transaction.db, project, names));
}

export async function deleteFeature(transaction: WriteTransaction, name: string): Promise<void> {
  await deleteArchived(transaction, await findFeatures(transaction.db, [name]));
}

async function deleteArchived(
  transaction: WriteTransaction,
  listed: readonly Feature[],
): Promise<void> {
  await checkNoDependents(transaction.db, listed);
  const archived = listed.filter(({ archivedAt }) => archivedAt !== null);
  if (archived.length === 0) return;
  // NOTE: recorded before the deletion, because events include the tags of the flag.
  await transaction.record(
    ...archived.map((feature) => ({
      type: "feature-deleted" as const,
      project: feature.project,
      feature: feature.name,
      before: toFeatureView(feature),
    })),
  );
  await transaction.db.delete(features).where(
    inArray(
      features.name,
      archived.map(({ name }) => name),
    ),
  );
}
