import type { ProjectAccess } from "../../access/project-access.ts";
import { getActiveProject, listProjectEnvironments } from "../../domain/projects/store.ts";
import { ApiError, badData } from "../../errors.ts";
import type { Database } from "../../storage/database.ts";
import type { Actor } from "../../storage/events.ts";
import type { Storage, WriteTransaction } from "../../storage/storage.ts";
import { writeAndRollBack } from "../../storage/write-and-roll-back.ts";
import { importProject } from "../project-file/import-project.ts";
import type { ImportReport } from "../project-file/schemas.ts";
import { findProblems, type Problem, type Problems } from "./find-problems.ts";
import type { UnleashImport } from "./schemas.ts";
import { type ConvertedFile, toProjectFile } from "./to-project-file.ts";

/**
 * Imports flags into one environment of a project: all of them, or none. Archived flags are skipped.
 * Returns what the administrator should know.
 *
 * @throws {ApiError} if the project or environment is unknown, or a part of the data cannot be imported
 */
export async function importUnleashFile(
  transaction: WriteTransaction,
  input: UnleashImport,
  access: ProjectAccess,
): Promise<Pick<Problems, "warnings">> {
  await checkTarget(transaction.db, input);
  const { errors, warnings, archived } = await findProblems(transaction.db, input);
  if (errors.length > 0) throw toError(errors);
  await write(transaction, input, archived, access);
  return { warnings };
}

interface Validation extends Pick<Problems, "errors" | "warnings"> {
  /** What the import would change; absent if it would fail. */
  readonly changes?: ImportReport;
}

/**
 * Finds out whether flags can be imported, without changing anything.
 *
 * @throws {ApiError} if the project or environment is unknown
 */
export async function validateUnleashFile(
  storage: Storage,
  { actor, access }: { readonly actor: Actor; readonly access: ProjectAccess },
  input: UnleashImport,
): Promise<Validation> {
  const { archived, errors, warnings } = await storage.read(async (db) => {
    await checkTarget(db, input);
    return findProblems(db, input);
  });
  if (errors.length > 0) return { errors, warnings };
  try {
    const changes = await writeAndRollBack(storage, actor, (transaction) =>
      write(transaction, input, archived, access),
    );
    return { errors, warnings, changes };
  } catch (error) {
    if (!(error instanceof ApiError) || error.statusCode >= 500) throw error;
    return { errors: [{ message: error.message, affectedItems: [] }], warnings };
  }
}

async function checkTarget(db: Database, { project, environment }: UnleashImport): Promise<void> {
  await getActiveProject(db, project);
  if ((await listProjectEnvironments(db, project)).includes(environment)) return;
  throw badData("/body/environment", "must be an environment of the project");
}

async function write(
  transaction: WriteTransaction,
  { project, environment, data }: UnleashImport,
  archived: ReadonlySet<string>,
  access: ProjectAccess,
): Promise<ImportReport> {
  const { file, paths } = toProjectFile(data, {
    environment,
    isOnlyEnvironment: true,
    skipped: archived,
  });
  try {
    return await importProject(transaction, { project, access, environment }, file);
  } catch (error) {
    throw error instanceof ApiError ? replacePaths(error, paths) : error;
  }
}

/** Replaces the paths of an error, which are those in the converted file. */
function replacePaths(error: ApiError, paths: ConvertedFile["paths"]): ApiError {
  const [{ path, message: problem } = { path: undefined, message: "" }] = error.details;
  if (path === undefined) return error;
  const [from = "", to = ""] =
    [...paths]
      .filter(([prefix]) => path === prefix || path.startsWith(`${prefix}/`))
      .toSorted(([a], [b]) => b.length - a.length)[0] ?? [];
  const moved = to + path.slice(from.length);
  return new ApiError(error.name, error.message.replaceAll(path, moved), {
    details: [{ message: problem, path: moved }],
    cause: error,
  });
}

function toError(errors: readonly Problem[]): ApiError {
  const messages = errors.map(
    ({ message, affectedItems }) => `${message}: ${affectedItems.slice(0, 10).join(", ")}`,
  );
  return new ApiError("BadDataError", messages.join("; "), {
    details: messages.map((message) => ({ message, path: "/body/data" })),
  });
}
