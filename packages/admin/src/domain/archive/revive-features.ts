import { inArray } from "drizzle-orm";
import { exceedsLimit, notFound } from "../../errors.ts";
import {
  checkAllInProject,
  countActive,
  type Feature,
  findFeature,
  findFeatures,
  quoteNames,
} from "../features/find-features.ts";
import { getActiveProject } from "../projects/find-projects.ts";
import { type Database, groupBy } from "../../storage/database.ts";
import { LIMITS } from "../../limits.ts";
import { featureEnvironments, features } from "../../storage/schema/features.ts";
import type { WriteTransaction } from "../../storage/storage.ts";

/**
 * Brings archived flags of a project back, all of them or none. They come back off in every
 * environment, with their strategies, tags and variants. Flags that are active stay as they are.
 *
 * @throws {ApiError} when the project is unknown or archived, a name is unknown, a flag belongs to
 * another project, or there would be too many active flags
 */
export async function reviveFeatures(
  transaction: WriteTransaction,
  project: string,
  names: readonly string[],
): Promise<void> {
  await getActiveProject(transaction.db, project);
  const found = await findFeatures(transaction.db, names);
  refuseUnknown(names, found);
  checkAllInProject(found, project);
  await revive(transaction, found);
}

export async function reviveFeature(transaction: WriteTransaction, name: string): Promise<void> {
  const feature = await findFeature(transaction.db, name);
  if (feature === undefined) throw notFound(`There is no feature ${JSON.stringify(name)}`);
  await getActiveProject(transaction.db, feature.project);
  await revive(transaction, [feature]);
}

function refuseUnknown(names: readonly string[], found: readonly Feature[]): void {
  const known = new Set(found.map(({ name }) => name));
  const unknown = [...new Set(names)].filter((name) => !known.has(name));
  if (unknown.length === 0) return;
  throw notFound(`There are no features ${quoteNames(unknown.map((name) => ({ name })))}`);
}

async function revive({ db, record }: WriteTransaction, listed: readonly Feature[]): Promise<void> {
  const archived = listed.filter(({ archivedAt }) => archivedAt !== null);
  if (archived.length === 0) return;
  const active = await countActive(db);
  if (active + archived.length > LIMITS.features) throw exceedsLimit("features", LIMITS.features);
  const names = archived.map(({ name }) => name);
  const statesBefore = await readStates(db, names);
  await db.update(features).set({ archivedAt: null }).where(inArray(features.name, names));
  await db
    .update(featureEnvironments)
    .set({ enabled: false })
    .where(inArray(featureEnvironments.feature, names));
  const statesAfter = await readStates(db, names);
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

/** Whether each environment is on. */
type States = Readonly<Record<string, boolean>>;

async function readStates(
  db: Database,
  names: readonly string[],
): Promise<(feature: string) => States> {
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
