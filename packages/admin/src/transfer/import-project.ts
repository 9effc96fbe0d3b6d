import { isDeepStrictEqual } from "node:util";
import { inArray } from "drizzle-orm";
import { removeParents, setParent } from "../dependencies/write-dependencies.ts";
import { ApiError } from "../errors.ts";
import { checkAllInProject, findFeatures, quoteNames } from "../features/find-features.ts";
import type { Database } from "../storage/database.ts";
import { dependencies } from "../storage/schema/features.ts";
import type { WriteTransaction } from "../storage/storage.ts";
import { atPath } from "./at-path.ts";
import { exportProject } from "./export-project.ts";
import { importFeature, type SegmentIdOf } from "./import-feature.ts";
import { findSegmentsByName, importNeeds, refuseRepetition } from "./import-needs.ts";
import type { FeatureInFile, ImportReport, ProjectFileContent } from "./schemas.ts";

/**
 * Makes the features of a file part of a project, which must be there. Features that the file does
 * not name stay as they are.
 *
 * @throws {ApiError} when any part of the file cannot be imported
 */
export async function importProject(
  transaction: WriteTransaction,
  project: string,
  file: ProjectFileContent,
): Promise<ImportReport> {
  const { db, record } = transaction;
  const before = await exportProject(db, project);
  refuseRepetition(file.features, "/body/features");
  await checkTargets(db, project, file.features);

  await importNeeds(transaction, project, file);
  const segmentIdOf = await findSegmentIds(db, file.features);
  for (const [index, feature] of file.features.entries()) {
    await importFeature(transaction, feature, {
      project,
      path: `/body/features/${index}`,
      segmentIdOf,
    });
  }
  await importParents(transaction, project, file.features);

  const report = compare(file.features, before, await exportProject(db, project));
  const { created, updated } = report;
  if (created.length + updated.length > 0) {
    await record({ type: "features-imported", project, after: { created, updated } });
  }
  return report;
}

async function checkTargets(
  db: Database,
  project: string,
  features: readonly FeatureInFile[],
): Promise<void> {
  const found = await findFeatures(
    db,
    features.map(({ name }) => name),
  );
  checkAllInProject(found, project);
  const archived = found.filter(({ archivedAt }) => archivedAt !== null);
  if (archived.length === 0) return;
  throw new ApiError(
    "ArchivedFeatureError",
    `These features are archived: revive or delete them first: ${quoteNames(archived)}`,
  );
}

async function findSegmentIds(
  db: Database,
  features: readonly FeatureInFile[],
): Promise<SegmentIdOf> {
  const names = features
    .flatMap(({ environments = [] }) => environments)
    .flatMap(({ strategies }) => strategies)
    .flatMap(({ segments = [] }) => segments);
  const found = await findSegmentsByName(db, names);
  return (name) => found.get(name)?.id;
}

/** All are freed that will have another parent before any gets one: or two could not change places. */
async function importParents(
  transaction: WriteTransaction,
  project: string,
  features: readonly FeatureInFile[],
): Promise<void> {
  const { db } = transaction;
  const named = features.filter((feature) => feature.dependencies !== undefined);
  const parentOf = await findParents(
    db,
    named.map(({ name }) => name),
  );
  for (const feature of named) {
    const parent = feature.dependencies?.[0]?.feature;
    if (parentOf.has(feature.name) && parentOf.get(feature.name) !== parent) {
      await removeParents(transaction, { project, feature: feature.name });
    }
  }
  for (const [index, { name, dependencies: [parent] = [] }] of features.entries()) {
    if (parent === undefined) continue;
    await atPath(`/body/features/${index}/dependencies/0`, () =>
      setParent(transaction, { project, feature: name }, parent),
    );
  }
}

async function findParents(db: Database, children: string[]): Promise<ReadonlyMap<string, string>> {
  if (children.length === 0) return new Map();
  const rows = await db
    .select({ child: dependencies.child, parent: dependencies.parent })
    .from(dependencies)
    .where(inArray(dependencies.child, children));
  return new Map(rows.map(({ child, parent }) => [child, parent]));
}

function compare(
  features: readonly FeatureInFile[],
  before: ProjectFileContent,
  after: ProjectFileContent,
): ImportReport {
  const report: ImportReport = { created: [], updated: [], unchanged: [] };
  const old = byName(before.features);
  const current = byName(after.features);
  for (const { name } of features) {
    const was = old.get(name);
    if (was === undefined) report.created.push(name);
    else if (isDeepStrictEqual(was, current.get(name))) report.unchanged.push(name);
    else report.updated.push(name);
  }
  return report;
}

function byName(features: readonly FeatureInFile[]): ReadonlyMap<string, FeatureInFile> {
  return new Map(features.map((feature) => [feature.name, feature]));
}
