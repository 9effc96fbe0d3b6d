import { exceedsLimit, nameExists } from "../../errors.ts";
import { LIMITS } from "../../limits.ts";
import { type Database, firstRow } from "../../storage/database.ts";
import { featureEnvironments, features } from "../../storage/schema/features.ts";
import type { WriteTransaction } from "../../storage/storage.ts";
import { countActiveFeatures, findFeature, toFeatureView, type FeatureView } from "../feature.ts";
import { getActiveProject, listProjectEnvironments } from "../projects/store.ts";
import { linkTags } from "../tags/feature-tags.ts";
import { ensureTags } from "../tags/store.ts";
import type { CreateFeature } from "./schemas.ts";

/**
 * Creates a flag that is off in every environment of its project.
 *
 * @throws {ApiError} if the project is unknown or archived, the name is taken, there are too many
 *   active flags, or a tag type is unknown
 */
export async function createFeature(
  transaction: WriteTransaction,
  project: string,
  body: CreateFeature,
): Promise<FeatureView> {
  const { db, actor, record } = transaction;
  await getActiveProject(db, project);
  await checkNameIsAvailable(db, body.name);
  if ((await countActiveFeatures(db)) >= LIMITS.features) {
    throw exceedsLimit("flags", LIMITS.features);
  }
  const created = firstRow(
    await db
      .insert(features)
      .values({
        name: body.name,
        project,
        type: body.type ?? "release",
        description: body.description ?? null,
        impressionData: body.impressionData ?? false,
        createdBy: actor.name,
      })
      .returning(),
  );
  await addToEnvironments(db, created.name, await listProjectEnvironments(db, project));
  const tags = body.tags ?? [];
  await ensureTags(transaction, tags);
  await linkTags(
    db,
    tags.map(({ type, value }) => ({ feature: created.name, type, value })),
  );

  const view = toFeatureView(created);
  await record({ type: "feature-created", project, feature: created.name, after: view });
  return view;
}

async function addToEnvironments(
  db: Database,
  feature: string,
  environments: readonly string[],
): Promise<void> {
  if (environments.length === 0) return;
  await db
    .insert(featureEnvironments)
    .values(environments.map((environment) => ({ feature, environment })));
}

/**
 * @throws {ApiError} if a flag has the name, archived or not
 */
export async function checkNameIsAvailable(db: Database, name: string): Promise<void> {
  const existing = await findFeature(db, name);
  if (existing === undefined) return;
  const state = existing.archivedAt === null ? "a flag" : "an archived flag";
  throw nameExists(`There is already ${state} ${JSON.stringify(name)}: choose another name`);
}
