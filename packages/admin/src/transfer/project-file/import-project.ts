import type { ProjectAccess } from "../../access/project-access.ts";
import { checkUniqueNames } from "../../domain/check-unique.ts";
import { patternsOf } from "../../domain/constraints/check-constraints.ts";
import { checkEnvironmentSize } from "../../domain/environment-size.ts";
import { findFeaturesInProject } from "../../domain/feature.ts";
import { getActiveProject } from "../../domain/projects/store.ts";
import { ApiError, exceedsLimit, quoteNames } from "../../errors.ts";
import { LIMITS } from "../../limits.ts";
import type { Database } from "../../storage/database.ts";
import type { WriteTransaction } from "../../storage/storage.ts";
import { TimeSlice } from "../../scheduling/time-slice.ts";
import { withErrorPath } from "../../http/error-path.ts";
import { createImportPlan, type ImportPlan, writeChanges } from "./import-plan.ts";
import { importReferences } from "./import-references.ts";
import { type ImportTarget, readImportTarget } from "./import-target.ts";
import { planDependencies } from "./plan-dependencies.ts";
import { planFeature } from "./plan-feature.ts";
import type { FeatureInFile, ImportReport, ProjectFileContent } from "./schemas.ts";

interface Target {
  readonly project: string;
  readonly access: ProjectAccess;
  readonly environment?: string;
}

/**
 * Imports the flags of a file into an existing project. Flags that are not in the file stay
 * unchanged. The stored state is read first, then all changes are planned and written in batches, so
 * that a large file does not need one statement per flag.
 *
 * @param target.access of the caller
 * @param target.environment the only environment that the file contains, for the event
 * @throws {ApiError} if any part of the file cannot be imported
 */
export async function importProject(
  transaction: WriteTransaction,
  { project, access, environment }: Target,
  file: ProjectFileContent,
): Promise<ImportReport> {
  const { db, record } = transaction;
  await getActiveProject(db, project);
  checkUniqueNames(file.features, "/body/features");
  await checkTargets(db, project, file.features);
  await importReferences(transaction, project, file, access);

  const plan = await createPlan(transaction, project, file);
  await writeChanges(transaction, plan.changes);
  await checkEnvironmentSize(db);

  const report = createReport(file.features, plan);
  const { created, updated } = report;
  if (created.length + updated.length > 0) {
    await record({
      type: "features-imported",
      project,
      ...(environment !== undefined && { environment }),
      after: { created, updated },
    });
  }
  return report;
}

/**
 * Finds out what an import would do to the flags of a file, whose references exist, without writing.
 *
 * @throws {ApiError} if any part of the flags cannot be imported
 */
export async function planImport(
  transaction: WriteTransaction,
  project: string,
  file: ProjectFileContent,
): Promise<ImportReport> {
  checkUniqueNames(file.features, "/body/features");
  return createReport(file.features, await createPlan(transaction, project, file));
}

async function createPlan(
  { db, actor }: WriteTransaction,
  project: string,
  { features }: ProjectFileContent,
): Promise<ImportPlan> {
  const target = await readImportTarget(db, project, features);
  checkFeatureLimit(features, target);
  await target.strategyContext.checks.checkPatterns(patternsIn(features));
  const plan = createImportPlan(target, actor, new Date());
  const slice = new TimeSlice();
  for (const [index, feature] of features.entries()) {
    planFeature(plan, feature, `/body/features/${index}`);
    if (slice.isOver) await slice.startNext();
  }
  planDependencies(plan, features);
  return plan;
}

function patternsIn(features: readonly FeatureInFile[]): ReadonlySet<string> {
  const strategies = features
    .flatMap(({ environments = [] }) => environments)
    .flatMap((environment) => environment.strategies);
  return patternsOf(strategies.flatMap(({ constraints = [] }) => constraints));
}

async function checkTargets(
  db: Database,
  project: string,
  features: readonly FeatureInFile[],
): Promise<void> {
  const names = features.map(({ name }) => name);
  const found = await findFeaturesInProject(db, project, names);
  const archived = found.filter(({ archivedAt }) => archivedAt !== null);
  if (archived.length === 0) return;
  throw new ApiError(
    "ArchivedFeatureError",
    `Revive or delete these archived flags first: ${quoteNames(archived.map(({ name }) => name))}`,
  );
}

function checkFeatureLimit(
  features: readonly FeatureInFile[],
  { features: known, remainingFeatures }: ImportTarget,
): void {
  const created = features.filter(({ name }) => !known.has(name));
  const [excess] = created.slice(remainingFeatures);
  if (excess === undefined) return;
  withErrorPath(`/body/features/${features.indexOf(excess)}`, () => {
    throw exceedsLimit("flags", LIMITS.features);
  });
}

function createReport(
  features: readonly FeatureInFile[],
  { target, changes }: ImportPlan,
): ImportReport {
  const changed = new Set(changes.events.map(({ feature }) => feature));
  const report: ImportReport = { created: [], updated: [], unchanged: [] };
  for (const { name } of features) {
    if (!target.features.has(name)) report.created.push(name);
    else if (changed.has(name)) report.updated.push(name);
    else report.unchanged.push(name);
  }
  return report;
}
