import { existsSync } from "node:fs";
import { dirname } from "node:path";
import {
  DirectoryInUseError,
  explainUnreadable,
  StartError,
  type SubcommandResult,
} from "flags-server-kit";
import { EXIT_USAGE, type Subcommand, SubcommandError } from "flags-server-kit/command-line";
import { createBackup } from "../backup/create-backup.ts";
import { InvalidBackupError } from "../backup/format.ts";
import { DatabaseNotEmptyError, restoreBackup } from "../backup/restore-backup.ts";
import { type AdminConfig, loadConfig } from "../config/config.ts";
import { toStartError } from "../start-error.ts";
import type { Database } from "../storage/database.ts";
import { withoutQueryValues } from "../storage/errors.ts";
import { readSchemaVersion, SCHEMA_VERSION, SchemaTooNewError } from "../storage/migrate.ts";
import { openStorage } from "../storage/open-storage.ts";

type SubcommandCall = Parameters<Subcommand["run"]>[0];

/** Runs `flags-admin backup`. */
export async function runBackup({
  options,
  environment,
}: SubcommandCall): Promise<SubcommandResult> {
  const { file } = options;
  if (typeof file !== "string") throw noFile();
  const config = loadConfig(environment);
  requirePath(file);
  const rows = await explained(config, file, async () => {
    if (config.databaseUrl === undefined) await requireEmbedded(config.dataDir);
    const storage = await openStorage({ ...config, prepareSchema: requireKnownSchema }).catch(
      explainInUse,
    );
    try {
      return await createBackup(storage, file);
    } finally {
      await storage.close();
    }
  });
  return { output: `Wrote ${rows} rows to ${file}\n`, exitCode: 0 };
}

/** Runs `flags-admin restore`. */
export async function runRestore({
  options,
  environment,
}: SubcommandCall): Promise<SubcommandResult> {
  const { file } = options;
  if (typeof file !== "string") throw noFile();
  const config = loadConfig(environment);
  const rows = await explained(config, file, () =>
    restoreBackup(file, (prepareSchema) => openStorage({ ...config, prepareSchema })),
  );
  return { output: `Restored ${rows} rows from ${file}\n`, exitCode: 0 };
}

function noFile(): SubcommandError {
  return new SubcommandError("--file is required: the path of the backup file", EXIT_USAGE);
}

/** Checks the path before the backup, which may take long. */
function requirePath(file: string): void {
  const directory = dirname(file);
  const reason = isDirectory(file)
    ? "it is a directory"
    : isDirectory(directory)
      ? undefined
      : `there is no directory ${directory}`;
  if (reason !== undefined) throw new StartError(`Cannot use the file ${file}: ${reason}`);
}

function isDirectory(path: string): boolean {
  return existsSync(`${path}/.`);
}

/** NOTE: another DATA_DIR, as for the service, would be another database. */
function explainInUse(error: unknown): never {
  if (!(error instanceof DirectoryInUseError)) throw error;
  throw new StartError(
    `${error.message}: stop it first, or use PostgreSQL, where the service can keep running`,
    { cause: error },
  );
}

async function requireEmbedded(dataDir: string): Promise<void> {
  const { hasEmbeddedDatabase } = await import("../storage/embedded-storage.ts");
  if (hasEmbeddedDatabase(dataDir)) return;
  throw new StartError(
    `There is no database in ${dataDir}: set DATA_DIR or DATABASE_URL as for the service`,
  );
}

/** NOTE: a backup does not migrate, because the service may still run in the previous version. */
async function requireKnownSchema(db: Database): Promise<void> {
  const version = await readSchemaVersion(db);
  if (version === 0) throw new StartError("The database contains no tables of flags-admin");
  if (version > SCHEMA_VERSION) throw new SchemaTooNewError(version, SCHEMA_VERSION);
}

/** Converts errors that the operator can correct to one-line messages. */
async function explained<T>(config: AdminConfig, file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof InvalidBackupError) {
      throw new StartError(`Cannot restore ${file}: ${error.message}`, { cause: error });
    }
    if (error instanceof DatabaseNotEmptyError) {
      throw new StartError(`Cannot restore ${file}, since ${error.message}`, { cause: error });
    }
    if (isAbout(error, file)) {
      throw new StartError(`Cannot use the file ${file}: ${explainUnreadable(error)}`, {
        cause: error,
      });
    }
    throw error instanceof StartError ? error : withoutQueryValues(toStartError(error, config));
  }
}

function isAbout(error: unknown, file: string): error is NodeJS.ErrnoException {
  return (
    error instanceof Error &&
    "path" in error &&
    typeof error.path === "string" &&
    error.path.startsWith(file)
  );
}
