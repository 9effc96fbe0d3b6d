import { eq, inArray } from "drizzle-orm";
import { badData } from "../../errors.ts";
import { compilePatch, type PatchOperation } from "../../http/json-patch.ts";
import type { NewEvent } from "../../storage/events.ts";
import { firstRow } from "../../storage/database.ts";
import { events } from "../../storage/schema/events.ts";
import { features } from "../../storage/schema/features.ts";
import type { WriteTransaction } from "../../storage/storage.ts";
import type { EditedResource } from "../conditional-change.ts";
import {
  findFeaturesInProject,
  getActiveFeature,
  getFeature,
  toFeatureView,
  type Feature,
  type FeatureAddress,
  type FeatureView,
} from "../feature.ts";
import { getActiveProject } from "../projects/store.ts";
import { UpdateFeatureBody, type UpdateFeature } from "./schemas.ts";

/**
 * Replaces the properties that the body contains. The others stay unchanged.
 *
 * @throws {ApiError} if the flag is unknown or archived, or the body archives it
 */
export async function updateFeature(
  transaction: WriteTransaction,
  address: FeatureAddress,
  body: UpdateFeature,
): Promise<FeatureView> {
  const before = await getActiveFeature(transaction.db, address);
  checkFixedProperties(body);
  return toFeatureView(await replace(transaction, before, toColumns(body)));
}

/** Describes the settings of a flag, which its `PUT` and `PATCH` change, for `writeIfMatch()`. */
export function editedFeature(address: FeatureAddress): EditedResource {
  return {
    label: "The flag",
    readView: async (db) => toFeatureView(await getFeature(db, address)),
    changes: {
      types: [
        "feature-created",
        "feature-metadata-updated",
        "feature-project-change",
        "feature-stale-off",
        "feature-stale-on",
        "feature-archived",
        "feature-revived",
      ],
      where: eq(events.featureName, address.feature),
    },
  };
}

const applyPatch = compilePatch(UpdateFeatureBody);

/** Applies a JSON Patch (RFC 6902) to a flag. */
export async function patchFeature(
  transaction: WriteTransaction,
  address: FeatureAddress,
  patch: readonly PatchOperation[],
): Promise<FeatureView> {
  const before = await getActiveFeature(transaction.db, address);
  const { createdBy: _createdBy, ...patchable } = toFeatureView(before);
  const patched = applyPatch(patchable, patch);
  // A patch applies to the whole flag, so removed properties return to their defaults.
  return updateFeature(transaction, address, {
    ...patched,
    type: patched.type ?? "release",
    description: patched.description ?? null,
    stale: patched.stale ?? false,
    impressionData: patched.impressionData ?? false,
  });
}

/** NOTE: as in Unleash, `name` and `project` are ignored: the path contains them. */
function checkFixedProperties({ archived }: UpdateFeature): void {
  if (archived === true) {
    throw badData("/body/archived", "cannot be set here: archive the flag with DELETE");
  }
}

function toColumns({ type, description, stale, impressionData }: UpdateFeature) {
  return {
    ...(type !== undefined && { type }),
    ...(description !== undefined && { description }),
    ...(stale !== undefined && { stale }),
    ...(impressionData !== undefined && { impressionData }),
  };
}

async function replace(
  { db, record }: WriteTransaction,
  before: Feature,
  columns: ReturnType<typeof toColumns>,
): Promise<Feature> {
  if (Object.keys(columns).length === 0) return before;
  const after = firstRow(
    await db.update(features).set(columns).where(eq(features.name, before.name)).returning(),
  );
  await record(...toChangeEvents(before, after));
  return after;
}

/** Creates the events for a changed flag. A change of `stale` is a separate event. */
export function toChangeEvents(before: Feature, after: Feature): readonly NewEvent[] {
  return [
    {
      type: "feature-metadata-updated",
      project: before.project,
      feature: before.name,
      before: toFeatureView({ ...before, stale: after.stale }),
      after: toFeatureView(after),
    },
    toStaleEvent(before, after.stale),
  ];
}

/**
 * Marks flags as stale or not stale. Unknown names and archived flags are ignored.
 *
 * @throws {ApiError} if the project is unknown or archived, or a flag belongs to another project
 */
export async function setStale(
  { db, record }: WriteTransaction,
  project: string,
  { features: names, stale }: { readonly features: readonly string[]; readonly stale: boolean },
): Promise<void> {
  await getActiveProject(db, project);
  const found = await findFeaturesInProject(db, project, names);
  const changing = found.filter(
    (feature) => feature.archivedAt === null && feature.stale !== stale,
  );
  if (changing.length === 0) return;
  await db
    .update(features)
    .set({ stale })
    .where(
      inArray(
        features.name,
        changing.map(({ name }) => name),
      ),
    );
  await record(...changing.map((feature) => toStaleEvent(feature, stale)));
}

function toStaleEvent(before: Feature, stale: boolean): NewEvent {
  return {
    type: stale ? "feature-stale-on" : "feature-stale-off",
    project: before.project,
    feature: before.name,
    before: { stale: before.stale },
    after: { stale },
  };
}
