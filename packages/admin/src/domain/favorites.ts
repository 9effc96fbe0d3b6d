import { and, eq } from "drizzle-orm";
import { type Database, isOneOf } from "../storage/database.ts";
import { favoriteFeatures, favoriteProjects } from "../storage/schema/favorites.ts";

/**
 * Returns which of the flags a user has marked.
 *
 * @param userId undefined for the owner of an API token, who has marked none
 */
export async function findFavoriteFeatures(
  db: Database,
  userId: number | undefined,
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  if (userId === undefined || names.length === 0) return new Set();
  const rows = await db
    .select({ feature: favoriteFeatures.feature })
    .from(favoriteFeatures)
    .where(and(eq(favoriteFeatures.userId, userId), isOneOf(favoriteFeatures.feature, names)));
  return new Set(rows.map(({ feature }) => feature));
}

/**
 * Returns the projects that a user has marked.
 *
 * @param userId undefined for the owner of an API token, who has marked none
 */
export async function findFavoriteProjects(
  db: Database,
  userId: number | undefined,
): Promise<ReadonlySet<string>> {
  if (userId === undefined) return new Set();
  const rows = await db
    .select({ project: favoriteProjects.project })
    .from(favoriteProjects)
    .where(eq(favoriteProjects.userId, userId));
  return new Set(rows.map(({ project }) => project));
}
