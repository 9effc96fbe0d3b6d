import { inArray } from "drizzle-orm";
import { toFeatureView } from "../features/feature-view.ts";
import { findFeatures, findInProject, type Feature } from "../features/find-features.ts";
import { getProject } from "../projects/find-projects.ts";
import { features } from "../../storage/schema/features.ts";
import type { WriteTransaction } from "../../storage/storage.ts";
import { refuseOrphans } from "./archive-features.ts";

/** Deletes archived flags for good. Unknown names and active flags are passed over. */
export async function deleteFeatures(
  transaction: WriteTransaction,
  project: string,
  names: readonly string[],
): Promise<void> {
  await getProject(transaction.db, project);
  await deleteArchived(transaction, await findInProject(transaction.db, project, names));
}

export async function deleteFeature(transaction: WriteTransaction, name: string): Promise<void> {
  await deleteArchived(transaction, await findFeatures(transaction.db, [name]));
}

async function deleteArchived(
  transaction: WriteTransaction,
  listed: readonly Feature[],
): Promise<void> {
  await refuseOrphans(transaction.db, listed);
  const archived = listed.filter(({ archivedAt }) => archivedAt !== null);
  if (archived.length === 0) return;
  // Recorded first, so that the events still know the tags.
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
