import type { Performer } from "../../access/performer.ts";
import { getActiveProject, listProjectEnvironments } from "../../domain/projects/store.ts";
import { ApiError, badData } from "../../errors.ts";
import { type Database, groupBy } from "../../storage/database.ts";
import type { Actor } from "../../storage/events.ts";
import type { Storage, WriteTransaction } from "../../storage/storage.ts";
import { writeAndRollBack } from "../../storage/write-and-roll-back.ts";
import { applyBundle, IS_ARCHIVED } from "../bundle/apply-bundle.ts";
import type { ImportItem } from "../bundle/bundle.ts";
import { mapBundle } from "../bundle/map-bundle.ts";
import { completeBundle } from "../bundle/read-bundle.ts";
import { toBundle } from "../bundle/unleash-lists.ts";
import type { ProjectFileContent } from "../project-file/schemas.ts";
import { findDoubts } from "./find-doubts.ts";
import type { Problem, UnleashImport } from "./schemas.ts";

interface ImportResult {
  /** Reasons why the import would fail. */
  readonly errors: readonly Problem[];
  /** What an administrator should know. */
  readonly warnings: readonly Problem[];
  /** What was imported. */
  readonly file: ProjectFileContent | undefined;
}

/**
 * Imports flags into one environment of a project: all of them, or none. Existing flags are replaced, and archived ones are
 * skipped.
 *
 * @throws {ApiError} if the project or environment is unknown, or a part of the data cannot be imported
 */
export async function importUnleashFile(
  transaction: WriteTransaction,
  input: UnleashImport,
  performer: Performer,
): Promise<Omit<ImportResult, "errors">> {
  await checkTarget(transaction.db, input);
  const { errors, ...result } = await apply(transaction, input, performer);
  if (errors.length > 0) throw toError(errors);
  return result;
}

/**
 * Finds out whether flags can be imported, without changing anything.
 *
 * @throws {ApiError} if the project or environment is unknown
 */
export async function validateUnleashFile(
  storage: Storage,
  { actor, performer }: { readonly actor: Actor; readonly performer: Performer },
  input: UnleashImport,
): Promise<Pick<ImportResult, "errors" | "warnings">> {
  await storage.read((db) => checkTarget(db, input));
  try {
    const { errors, warnings } = await writeAndRollBack(storage, actor, (transaction) =>
      apply(transaction, input, performer),
    );
    return { errors, warnings };
  } catch (error) {
    if (!(error instanceof ApiError) || error.statusCode >= 500) throw error;
    return { errors: [{ message: error.message, affectedItems: [] }], warnings: [] };
  }
}

async function checkTarget(db: Database, { project, environment }: UnleashImport): Promise<void> {
  await getActiveProject(db, project);
  if ((await listProjectEnvironments(db, project)).includes(environment)) return;
  throw badData("/body/environment", "must be an environment of the project");
}

async function apply(
  transaction: WriteTransaction,
  { project, environment, data }: UnleashImport,
  performer: Performer,
): Promise<ImportResult> {
  const read = toBundle(data, { source: "export", environment, isOnlyEnvironment: true });
  const projects = Object.fromEntries(read.projects.map(({ id }) => [id, project]));
  const bundle = mapBundle(completeBundle(read), { projects });
  const { report, files } = await applyBundle(transaction, bundle, {
    performer,
    overwrites: "flags",
  });
  const conflicts = report.items.filter(({ effect }) => effect === "conflict");
  return {
    errors: groupByReason(conflicts.filter((item) => !isSkipped(item))),
    warnings: [
      ...findDoubts(data),
      ...groupByReason(report.items.filter(({ effect }) => effect === "left out")),
      ...groupByReason(conflicts.filter(isSkipped)),
      ...listOverwritten(report.items),
    ],
    file: files.get(project),
  };
}

function isSkipped({ reason }: ImportItem): boolean {
  return reason === IS_ARCHIVED;
}

/** Converts items to problems, one for each reason. */
function groupByReason(items: readonly ImportItem[]): readonly Problem[] {
  return Array.from(
    groupBy(
      items,
      ({ kind, reason }) => `${kind.charAt(0).toUpperCase()}${kind.slice(1)} ${reason}`,
    ),
    ([message, same]) => ({ message, affectedItems: same.map(({ name }) => name) }),
  );
}

function listOverwritten(items: readonly ImportItem[]): readonly Problem[] {
  const names = items
    .filter(({ kind, effect }) => kind === "flag" && /updated|unchanged/.test(effect))
    .map(({ name }) => name);
  const message = "These flags exist and are overwritten in the environment";
  return names.length === 0 ? [] : [{ message, affectedItems: names }];
}

function toError(errors: readonly Problem[]): ApiError {
  const messages = errors.map(
    ({ message, affectedItems }) => `${message}: ${affectedItems.slice(0, 10).join(", ")}`,
  );
  const message = messages.join("; ");
  return new ApiError("BadDataError", message, { details: [{ message, path: "/body/data" }] });
}
