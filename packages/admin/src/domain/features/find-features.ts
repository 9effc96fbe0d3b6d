import { and, count, eq, inArray, isNull } from "drizzle-orm";
import { ApiError, invalidOperation, notFound } from "../../errors.ts";
import type { Database } from "../../storage/database.ts";
import { features } from "../../storage/schema/features.ts";

export type Feature = typeof features.$inferSelect;

/** Where a flag is to be found. */
export interface FeatureAddress {
  readonly project: string;
  readonly feature: string;
}

export async function findFeature(db: Database, name: string): Promise<Feature | undefined> {
  const [feature] = await db.select().from(features).where(eq(features.name, name));
  return feature;
}

/**
 * @throws {ApiError} when there is none of that name in the project; that another project has one is
 * not told
 */
export async function getFeature(
  db: Database,
  { project, feature: name }: FeatureAddress,
): Promise<Feature> {
  const feature = await findFeature(db, name);
  if (feature?.project !== project) {
    throw notFound(
      `There is no feature ${JSON.stringify(name)} in the project ${JSON.stringify(project)}`,
    );
  }
  return feature;
}

/**
 * @throws {ApiError} when there is none of that name in the project, or it is archived
 */
export async function getActiveFeature(db: Database, address: FeatureAddress): Promise<Feature> {
  const feature = await getFeature(db, address);
  if (feature.archivedAt !== null) {
    throw new ApiError(
      "ArchivedFeatureError",
      `The feature ${JSON.stringify(feature.name)} is archived: revive it first`,
    );
  }
  return feature;
}

/** The flags of these names, archived ones too; names without a flag are left out. */
export async function findFeatures(db: Database, names: readonly string[]): Promise<Feature[]> {
  const distinct = [...new Set(names)];
  if (distinct.length === 0) return [];
  return db.select().from(features).where(inArray(features.name, distinct)).orderBy(features.name);
}

/**
 * The flags of these names in a project, archived ones too; names without a flag are left out.
 *
 * @throws {ApiError} when one of them belongs to another project
 */
export async function findInProject(
  db: Database,
  project: string,
  names: readonly string[],
): Promise<Feature[]> {
  const found = await findFeatures(db, names);
  checkAllInProject(found, project);
  return found;
}

/**
 * @throws {ApiError} when a flag belongs to another project
 */
export function checkAllInProject(found: readonly Feature[], project: string): void {
  const foreign = found.filter((feature) => feature.project !== project);
  if (foreign.length === 0) return;
  throw invalidOperation(
    `These features are not in the project ${JSON.stringify(project)}: ${quoteNames(foreign)}`,
  );
}

/** The names of a few, and how many more there are. */
export function quoteNames(named: readonly { readonly name: string }[]): string {
  const shown = named.slice(0, 10).map(({ name }) => JSON.stringify(name));
  const hidden = named.length - shown.length;
  return hidden === 0 ? shown.join(", ") : `${shown.join(", ")} and ${hidden} more`;
}

export async function countActive(db: Database): Promise<number> {
  const [row] = await db
    .select({ total: count() })
    .from(features)
    .where(isNull(features.archivedAt));
  return row?.total ?? 0;
}

/** Active flags of a project. */
export function listActive(db: Database, project: string): Promise<Feature[]> {
  return db
    .select()
    .from(features)
    .where(and(eq(features.project, project), isNull(features.archivedAt)))
    .orderBy(features.name);
}
