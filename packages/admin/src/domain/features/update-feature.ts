import { eq, inArray } from "drizzle-orm";
import { badData } from "../../errors.ts";
import type { NewEvent } from "../../storage/event.ts";
import { getActiveProject } from "../projects/find-projects.ts";
import { firstRow } from "../../storage/database.ts";
import { features } from "../../storage/schema/features.ts";
import type { WriteTransaction } from "../../storage/storage.ts";
import { type FeatureView, toFeatureView } from "./feature-view.ts";
import {
  type Feature,
  type FeatureAddress,
  findInProject,
  getActiveFeature,
} from "./find-features.ts";
import type { UpdateFeature } from "./schemas.ts";

/** What is sent replaces what was there; what is not sent stays. */
export async function updateFeature(
  transaction: WriteTransaction,
  address: FeatureAddress,
  body: UpdateFeature,
): Promise<FeatureView> {
  const before = await getActiveFeature(transaction.db, address);
  checkFixedParts(before, body);
  return toFeatureView(await replace(transaction, before, chosenColumns(body)));
}

/** Name and project are part of the path, and archiving has rules of its own. */
function checkFixedParts(before: Feature, { name, project, archived }: UpdateFeature): void {
  if (name !== undefined && name !== before.name) {
    throw badData("/body/name", "cannot be changed: it must be the name in the path");
  }
  if (project !== undefined && project !== before.project) {
    throw badData("/body/project", "cannot be changed: it must be the project in the path");
  }
  if (archived === true) {
    throw badData("/body/archived", "cannot be set here: archive the feature with DELETE");
  }
}

function chosenColumns({ type, description, stale, impressionData }: UpdateFeature) {
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
  columns: ReturnType<typeof chosenColumns>,
): Promise<Feature> {
  if (Object.keys(columns).length === 0) return before;
  const after = firstRow(
    await db.update(features).set(columns).where(eq(features.name, before.name)).returning(),
  );
  await record(...changeEvents(before, after));
  return after;
}

/** What changed about a flag itself: whether it is stale is a matter of its own. */
export function changeEvents(before: Feature, after: Feature): readonly NewEvent[] {
  return [
    {
      type: "feature-metadata-updated",
      project: before.project,
      feature: before.name,
      before: toFeatureView({ ...before, stale: after.stale }),
      after: toFeatureView(after),
    },
    staleEvent(before, after.stale),
  ];
}

/** Marks flags as stale or no longer stale; names without a flag are passed over. */
export async function setStale(
  { db, record }: WriteTransaction,
  project: string,
  { features: names, stale }: { readonly features: readonly string[]; readonly stale: boolean },
): Promise<void> {
  await getActiveProject(db, project);
  const found = await findInProject(db, project, names);
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
  await record(...changing.map((feature) => staleEvent(feature, stale)));
}

function staleEvent(before: Feature, stale: boolean): NewEvent {
  return {
    type: stale ? "feature-stale-on" : "feature-stale-off",
    project: before.project,
    feature: before.name,
    before: { stale: before.stale },
    after: { stale },
  };
}
