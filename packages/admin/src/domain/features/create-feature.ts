import { exceedsLimit, nameExists } from "../../errors.ts";
import { LIMITS } from "../../limits.ts";
import { getActiveProject, listEnvironmentsOf } from "../projects/find-projects.ts";
import { type Database, firstRow } from "../../storage/database.ts";
import { featureEnvironments, features } from "../../storage/schema/features.ts";
import type { WriteTransaction } from "../../storage/storage.ts";
import { ensureTags } from "../tags/ensure-tags.ts";
import { linkTags } from "../tags/link-tags.ts";
import { type FeatureView, toFeatureView } from "./feature-view.ts";
import { countActive, findFeature } from "./find-features.ts";
import type { CreateFeature } from "./schemas.ts";

/** Makes a flag that is off in every environment of its project. */
export async function createFeature(
  transaction: WriteTransaction,
  project: string,
  body: CreateFeature,
): Promise<FeatureView> {
  const { db, actor, record } = transaction;
  await getActiveProject(db, project);
  await checkNameIsFree(db, body.name);
  if ((await countActive(db)) >= LIMITS.features) throw exceedsLimit("features", LIMITS.features);

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
  await putIntoEnvironments(db, created.name, await listEnvironmentsOf(db, project));
  const tags = body.tags ?? [];
  await ensureTags(transaction, tags);
  await linkTags(db, created.name, tags);

  const view = toFeatureView(created);
  await record({ type: "feature-created", project, feature: created.name, after: view });
  return view;
}

async function putIntoEnvironments(
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
 * @throws {ApiError} when a flag has the name, archived or not
 */
export async function checkNameIsFree(db: Database, name: string): Promise<void> {
  const existing = await findFeature(db, name);
  if (existing === undefined) return;
  const state = existing.archivedAt === null ? "a feature" : "an archived feature";
  throw nameExists(`There is ${state} ${JSON.stringify(name)}: choose another name`);
}
