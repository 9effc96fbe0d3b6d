import { and, count, eq, inArray, isNull } from "drizzle-orm";
import { ApiError, invalidOperation, notFound, quoteNames, unknownFeature } from "../errors.ts";
import { type Database, orderByText } from "../storage/database.ts";
import { features } from "../storage/schema/features.ts";

export type Feature = typeof features.$inferSelect;

/** Identifies a flag in a request. Names are unique across projects, but the project must match. */
export interface FeatureAddress {
  readonly project: string;
  readonly feature: string;
}

/** A flag as responses and events show it, without its environments. */
export interface FeatureView {
  readonly name: string;
  readonly type: string;
  readonly project: string;
  readonly description: string | null;
  readonly stale: boolean;
  readonly impressionData: boolean;
  readonly createdAt: Date;
  readonly createdBy: { readonly name: string };
  readonly archived: boolean;
  readonly archivedAt?: Date;
}

export function toFeatureView(feature: Feature): FeatureView {
  const { name, type, project, description, stale, impressionData, createdAt } = feature;
  return {
    name,
    type,
    project,
    description,
    stale,
    impressionData,
    createdAt,
    createdBy: { name: feature.createdBy },
    archived: feature.archivedAt !== null,
    ...(feature.archivedAt !== null && { archivedAt: feature.archivedAt }),
  };
}

/** Finds a flag, archived or not. */
export async function findFeature(db: Database, name: string): Promise<Feature | undefined> {
  const [feature] = await db.select().from(features).where(eq(features.name, name));
  return feature;
}

/**
 * Returns a flag, archived or not, of any project.
 *
 * @throws {ApiError} if the flag does not exist
 */
export async function getFeatureByName(db: Database, name: string): Promise<Feature> {
  const feature = await findFeature(db, name);
  if (feature === undefined) throw unknownFeature(name);
  return feature;
}

/**
 * Returns a flag, archived or not.
 *
 * @throws {ApiError} if the project has no flag of this name. The error does not reveal whether
 *   another project has one
 */
export async function getFeature(
  db: Database,
  { project, feature: name }: FeatureAddress,
): Promise<Feature> {
  return checkInProject(await findFeature(db, name), { project, feature: name });
}

function checkInProject(
  feature: Feature | undefined,
  { project, feature: name }: FeatureAddress,
): Feature {
  if (feature?.project !== project) {
    throw notFound(
      `There is no flag ${JSON.stringify(name)} in the project ${JSON.stringify(project)}`,
    );
  }
  return feature;
}

/**
 * @throws {ApiError} if the project has no flag of this name, or the flag is archived
 */
export async function getActiveFeature(db: Database, address: FeatureAddress): Promise<Feature> {
  return checkActive(await findFeature(db, address.feature), address);
}

/**
 * @param feature the flag that was found for the address
 * @throws {ApiError} if the project has no flag of this name, or the flag is archived
 */
export function checkActive(feature: Feature | undefined, address: FeatureAddress): Feature {
  const found = checkInProject(feature, address);
  if (found.archivedAt !== null) {
    throw new ApiError(
      "ArchivedFeatureError",
      `The flag ${JSON.stringify(found.name)} is archived: revive it first`,
    );
  }
  return found;
}

/** Returns the flags with these names, archived or not. Unknown names are ignored. */
export async function findFeatures(db: Database, names: readonly string[]): Promise<Feature[]> {
  const distinct = [...new Set(names)];
  if (distinct.length === 0) return [];
  return db
    .select()
    .from(features)
    .where(inArray(features.name, distinct))
    .orderBy(orderByText(features.name));
}

/**
 * Returns the flags with these names, archived or not. Unknown names are ignored.
 *
 * @throws {ApiError} if a flag belongs to another project
 */
export async function findFeaturesInProject(
  db: Database,
  project: string,
  names: readonly string[],
): Promise<Feature[]> {
  const found = await findFeatures(db, names);
  checkAllInProject(found, project);
  return found;
}

/**
 * @throws {ApiError} if a flag belongs to another project
 */
export function checkAllInProject(found: readonly Feature[], project: string): void {
  const foreign = found.filter((feature) => feature.project !== project);
  if (foreign.length === 0) return;
  throw invalidOperation(
    `These flags belong to a project other than ${JSON.stringify(project)}, and names are unique across projects: ${quoteNames(foreign.map(({ name }) => name))}`,
  );
}

export async function countActiveFeatures(db: Database): Promise<number> {
  const [row] = await db
    .select({ total: count() })
    .from(features)
    .where(isNull(features.archivedAt));
  return row?.total ?? 0;
}

/** Lists the active flags of a project by name. */
export function listActiveFeatures(db: Database, project: string): Promise<Feature[]> {
  return db
    .select()
    .from(features)
    .where(and(eq(features.project, project), isNull(features.archivedAt)))
    .orderBy(orderByText(features.name));
}
