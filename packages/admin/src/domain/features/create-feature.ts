import { exceedsLimit, nameExists } from "../../errors.ts";
import { LIMITS } from "../../limits.ts";
import { type Database, firstRow } from "../../storage/database.ts";
import { featureEnvironments, features } from "../../storage/schema/features.ts";
import type { WriteTransaction } from "../../storage/storage.ts";
import { setParent } from "../dependencies/store.ts";
import { checkEnvironmentSize } from "../environment-size.ts";
import {
  countActiveFeatures,
  type FeatureAddress,
  type FeatureView,
  findFeature,
  getActiveFeature,
  toFeatureView,
} from "../feature.ts";
import { checkFeatureName } from "../projects/feature-naming.ts";
import { getActiveProject, listProjectEnvironments } from "../projects/store.ts";
import type { StrategyView } from "../strategies/find-strategies.ts";
import { copyStrategy } from "../strategies/write-strategies.ts";
import { linkTags } from "../tags/feature-tags.ts";
import { ensureTags } from "../tags/store.ts";
import { replaceVariants } from "../variants/store.ts";
import { readFeature } from "./read-feature.ts";
import type { CloneFeature, CreateFeature } from "./schemas.ts";

/**
 * Creates a flag that is off in every environment of its project.
 *
 * @throws {ApiError} if the project is unknown or archived or does not accept the name, the name is taken, there are too
 *   many active flags, or a tag type is unknown
 */
export async function createFeature(
  transaction: WriteTransaction,
  project: string,
  body: CreateFeature,
): Promise<FeatureView> {
  const { db, actor, record } = transaction;
  const { featureNaming } = await getActiveProject(db, project);
  checkFeatureName(featureNaming, body.name);
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

/**
 * Creates a flag with the settings, tags, strategies, variants and dependency of another one. It is not stale, and
 * off in every environment.
 *
 * @throws {ApiError} if the flag is unknown or archived, the name is taken, or there are too many or too large active
 *   flags
 */
export async function cloneFeature(
  transaction: WriteTransaction,
  address: FeatureAddress,
  { name, replaceGroupId = true }: CloneFeature,
): Promise<FeatureView> {
  const { db } = transaction;
  await getActiveFeature(db, address);
  const original = await readFeature(db, address);
  const { type, description, impressionData, tags, environments, dependencies } = original;
  const { project } = address;
  const created = await createFeature(transaction, project, {
    name,
    type,
    description,
    impressionData,
    tags,
  });
  const copy = { project, feature: name };
  for (const { name: environment, variants, strategies } of environments) {
    const target = { ...copy, environment };
    if (variants.length > 0) await replaceVariants(transaction, target, variants);
    for (const [sortOrder, strategy] of strategies.entries()) {
      const copied = replaceGroupId ? withGroupId(strategy, original.name, name) : strategy;
      // The copies are created at the same time, so only their sort order preserves the order of the originals.
      await copyStrategy(transaction, target, { ...copied, sortOrder });
    }
  }
  await checkEnvironmentSize(db);
  for (const { feature, enabled, variants } of dependencies) {
    await setParent(transaction, copy, { feature, enabled, variants: [...variants] });
  }
  return created;
}

/** A group id that is not the name of the flag was chosen so that flags share it: it stays. */
function withGroupId(strategy: StrategyView, before: string, after: string): StrategyView {
  const { parameters } = strategy;
  if (parameters["groupId"] !== before) return strategy;
  return { ...strategy, parameters: { ...parameters, groupId: after } };
}
