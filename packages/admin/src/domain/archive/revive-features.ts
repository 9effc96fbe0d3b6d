import { inArray } from "drizzle-orm";
import { ApiError, exceedsLimit, quoteNames } from "../../errors.ts";
import { type Database, groupBy } from "../../storage/database.ts";
import { LIMITS } from "../../limits.ts";
import { featureEnvironments, features } from "../../storage/schema/features.ts";
import type { WriteTransaction } from "../../storage/storage.ts";
import { checkEnvironmentSize } from "../environment-size.ts";
import {
  checkAllInProject,
  countActiveFeatures,
  findFeatures,
  getFeatureByName,
  type Feature,
} from "../feature.ts";
import { restartLifecycles } from "../lifecycle/restart.ts";
import { getActiveProject } from "../projects/store.ts";

/**
 * Revives archived flags of a project: all of them or none. They are off in every environment and
 * keep their strategies, tags and variants. Active flags stay unchanged.
 *
 * @throws {ApiError} if the project is unknown or archived, a name is unknown, a flag belongs to
 *   another project, or the limit of active flags would be exceeded
 */
export async function reviveFeatures(
  transaction: WriteTransaction,
  project: string,
  names: readonly string[],
): Promise<void> {
  await getActiveProject(transaction.db, project);
  const found = await findFeatures(transaction.db, names);
  checkAllFound(names, found);
  checkAllInProject(found, project);
  await revive(transaction, found);
}

export async function reviveFeature(transaction: WriteTransaction, name: string): Promise<void> {
  const feature = await getFeatureByName(transaction.db, name);
  await getActiveProject(transaction.db, feature.project);
  await revive(transaction, [feature]);
}

function checkAllFound(names: readonly string[], found: readonly Feature[]): void {
  const known = new Set(found.map(({ name }) => name));
  /** Each with its first index. */
  const unknown = new Map<string, number>();
  for (const [index, name] of names.entries()) {
    if (!known.has(name) && !unknown.has(name)) unknown.set(name, index);
  }
  if (unknown.size === 0) return;
  const what = unknown.size === 1 ? "is no flag" : "are no flags";
  throw new ApiError("NotFoundError", `There ${what} ${quoteNames([...unknown.keys()])}`, {
    details: Array.from(unknown, ([name, index]) => ({
      message: `There is no flag ${JSON.stringify(name)}`,
      path: `/body/features/${index}`,
    })),
  });
}

async function revive({ db, record }: WriteTransaction, listed: readonly Feature[]): Promise<void> {
  const archived = listed.filter(({ archivedAt }) => archivedAt !== null);
  if (archived.length === 0) return;
  const activeCount = await countActiveFeatures(db);
  if (activeCount + archived.length > LIMITS.features) {
    throw exceedsLimit("flags", LIMITS.features);
  }
  const names = archived.map(({ name }) => name);
  const statesBefore = await readEnabledStates(db, names);
  await db.update(features).set({ archivedAt: null }).where(inArray(features.name, names));
  await db
    .update(featureEnvironments)
    .set({ enabled: false })
    .where(inArray(featureEnvironments.feature, names));
  await restartLifecycles(db, names);
  await checkEnvironmentSize(db);
  const statesAfter = await readEnabledStates(db, names);
  await record(
    ...archived.map(({ name, project, archivedAt }) => ({
      type: "feature-revived" as const,
      project,
      feature: name,
      before: { archived: true, archivedAt, environments: statesBefore(name) },
      after: { archived: false, environments: statesAfter(name) },
    })),
  );
}

/** Whether a flag is on, by environment. */
type EnabledStates = Readonly<Record<string, boolean>>;

async function readEnabledStates(
  db: Database,
  names: readonly string[],
): Promise<(feature: string) => EnabledStates> {
  const rows = await db
    .select()
    .from(featureEnvironments)
    .where(inArray(featureEnvironments.feature, [...names]));
  const byFeature = groupBy(rows, ({ feature }) => feature);
  return (feature) =>
    Object.fromEntries(
      (byFeature.get(feature) ?? []).map(({ environment, enabled }) => [environment, enabled]),
    );
}
