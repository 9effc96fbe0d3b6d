import { and, eq } from "drizzle-orm";
import { favoriteFeatures, favoriteProjects } from "../../storage/schema/favorites.ts";
import type { WriteTransaction } from "../../storage/storage.ts";
import { type FeatureAddress, getFeature } from "../feature.ts";
import { getProject } from "../projects/store.ts";

export async function addFavoriteFeature(
  { db, record }: WriteTransaction,
  userId: number,
  address: FeatureAddress,
): Promise<void> {
  const { name: feature, project } = await getFeature(db, address);
  const added = await db
    .insert(favoriteFeatures)
    .values({ userId, feature })
    .onConflictDoNothing()
    .returning();
  if (added.length === 0) return;
  await record({ type: "feature-favorited", project, feature, after: { feature } });
}

export async function removeFavoriteFeature(
  { db, record }: WriteTransaction,
  userId: number,
  address: FeatureAddress,
): Promise<void> {
  const { name: feature, project } = await getFeature(db, address);
  const removed = await db
    .delete(favoriteFeatures)
    .where(and(eq(favoriteFeatures.userId, userId), eq(favoriteFeatures.feature, feature)))
    .returning();
  if (removed.length === 0) return;
  await record({ type: "feature-unfavorited", project, feature, before: { feature } });
}

export async function addFavoriteProject(
  { db, record }: WriteTransaction,
  userId: number,
  projectId: string,
): Promise<void> {
  const { id: project } = await getProject(db, projectId);
  const added = await db
    .insert(favoriteProjects)
    .values({ userId, project })
    .onConflictDoNothing()
    .returning();
  if (added.length === 0) return;
  await record({ type: "project-favorited", project, after: { project } });
}

export async function removeFavoriteProject(
  { db, record }: WriteTransaction,
  userId: number,
  projectId: string,
): Promise<void> {
  const { id: project } = await getProject(db, projectId);
  const removed = await db
    .delete(favoriteProjects)
    .where(and(eq(favoriteProjects.userId, userId), eq(favoriteProjects.project, project)))
    .returning();
  if (removed.length === 0) return;
  await record({ type: "project-unfavorited", project, before: { project } });
}
