import { inArray } from "drizzle-orm";
import { features } from "../../storage/schema/features.ts";
import type { WriteTransaction } from "../../storage/storage.ts";
import { findFeatures, findFeaturesInProject, toFeatureView, type Feature } from "../feature.ts";
import { getProject } from "../projects/store.ts";
import { checkNoDependents } from "./archive-features.ts";

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
