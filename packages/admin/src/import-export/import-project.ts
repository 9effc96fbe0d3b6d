import { ApiError, exceedsLimit } from "../errors.ts";
import { findInProject, quoteNames } from "../domain/features/find-features.ts";
import { LIMITS } from "../limits.ts";
import { getActiveProject } from "../domain/projects/find-projects.ts";
import type { Database } from "../storage/database.ts";
import type { WriteTransaction } from "../storage/storage.ts";
import { checkAtPath } from "./at-path.ts";
import { createChanges, type Changes } from "./changes.ts";
import { importNeeds, refuseRepetition } from "./import-needs.ts";
import { readImportTarget, type ImportTarget } from "./import-target.ts";
import { planDependencies } from "./plan-dependencies.ts";
import { planFeature } from "./plan-feature.ts";
import type { FeatureInFile, ImportReport, ProjectFileContent } from "./schemas.ts";
import { writeChanges } from "./write-changes.ts";

/**
 * Makes the features of a file part of a project, which must be there. Features that the file does
 * not name stay as they are. What there is, is read at once; what is to be written is worked out from
 * that, and written at once: so the number of statements does not grow with that of the features.
 *
 * @throws {ApiError} when any part of the file cannot be imported
 */
export async function importProject(
  transaction: WriteTransaction,
  project: string,
  file: ProjectFileContent,
): Promise<ImportReport> {
  const { db, actor, record } = transaction;
  await getActiveProject(db, project);
  refuseRepetition(file.features, "/body/features");
  await checkTargets(db, project, file.features);
  await importNeeds(transaction, project, file);

  const target = await readImportTarget(db, project, file.features);
  checkRoom(file.features, target);
  const changes = createChanges();
  const planning = { target, actor, now: new Date(), changes, newTags: new Set<string>() };
  for (const [index, feature] of file.features.entries()) {
    planFeature(planning, feature, `/body/features/${index}`);
  }
  planDependencies(planning, file.features);
  await writeChanges(transaction, changes);

  const report = createReport(file.features, target, changes);
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
  const names = features.map(({ name }) => name);
  const found = await findInProject(db, project, names);
  const archived = found.filter(({ archivedAt }) => archivedAt !== null);
  if (archived.length === 0) return;
  throw new ApiError(
    "ArchivedFeatureError",
    `These features are archived: revive or delete them first: ${quoteNames(archived)}`,
  );
}

function checkRoom(
  features: readonly FeatureInFile[],
  { features: known, room }: ImportTarget,
): void {
  const created = features.filter(({ name }) => !known.has(name));
  const [excess] = created.slice(room);
  if (excess === undefined) return;
  checkAtPath(`/body/features/${features.indexOf(excess)}`, () => {
    throw exceedsLimit("features", LIMITS.features);
  });
}

function createReport(
  features: readonly FeatureInFile[],
  target: ImportTarget,
  { events }: Changes,
): ImportReport {
  const changed = new Set(events.map(({ feature }) => feature));
  const report: ImportReport = { created: [], updated: [], unchanged: [] };
  for (const { name } of features) {
    if (!target.features.has(name)) report.created.push(name);
    else if (changed.has(name)) report.updated.push(name);
    else report.unchanged.push(name);
  }
  return report;
}
