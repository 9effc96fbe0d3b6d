import { codeOf } from "flags-server-kit/neutral";
import { DirectoryInUseError, explainUnreadable, StartError } from "flags-server-kit";
import type { AdminConfig } from "./config/config.ts";
import { showDatabaseUrl } from "./config/url-setting-kinds.ts";
import { DiskFullError, innermostMessage, isConnectionError } from "./storage/errors.ts";
import { SchemaTooNewError } from "./storage/migrate.ts";
import { EmbeddedStartError } from "./storage/pglite/durable-pglite.ts";

type DatabaseChoice = Pick<AdminConfig, "databaseUrl" | "dataDir">;

/**
 * Converts an error of the database to a one-line message for the operator. Returns the error itself if
 * its cause is unknown.
 */
export function toStartError(error: unknown, choice: DatabaseChoice): unknown {
  if (error instanceof SchemaTooNewError) return new StartError(error.message, { cause: error });
  if (error instanceof DirectoryInUseError) {
    const hint = "stop that process, or set DATA_DIR to another directory";
    return new StartError(`${error.message}: ${hint}`, { cause: error });
  }
  const message =
    choice.databaseUrl === undefined
      ? explainDirectory(error, choice.dataDir)
      : explainServer(error, choice.databaseUrl);
  return message === undefined ? error : new StartError(message, { cause: error });
}

// Error codes of the file system.
const DIRECTORY_REASONS: Readonly<Record<string, string>> = {
  EACCES: "this user has no write permission",
  EPERM: "this user has no write permission",
  EROFS: "it is read-only",
  ENOSPC: "there is no space left",
  EDQUOT: "the disk quota is exhausted",
  EEXIST: "it is not a directory",
  ENOENT:
    "a part of its path is a link to something that does not exist, or its file system, such as /proc, does not allow new directories",
  ENOTDIR: "one of its parents is not a directory",
};

function explainDirectory(error: unknown, directory: string): string | undefined {
  if (error instanceof DiskFullError) {
    return `Cannot use the directory ${directory}: ${error.message}. Free some space, or choose another directory with DATA_DIR`;
  }
  if (error instanceof EmbeddedStartError) {
    return `Cannot open the embedded database in ${directory}: ${error.message}`;
  }
  const reason = findReason(error, DIRECTORY_REASONS);
  return reason === undefined
    ? undefined
    : `Cannot use the directory ${directory}: ${reason}. Choose another directory with DATA_DIR`;
}

// Error codes of Node and PostgreSQL.
const SERVER_REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "no server is listening there",
  ENOENT: "no server is listening there",
  ENOTFOUND: "the host name is unknown",
  EAI_AGAIN: "the host name cannot be resolved",
  ETIMEDOUT: "the server did not respond in time",
  EHOSTUNREACH: "the host is unreachable",
  ENETUNREACH: "the host is unreachable",
  "28P01": "the user name or the password is wrong",
  "28000": "the server does not allow this user to connect",
  "3D000": "there is no database with that name",
  "42501": "the user has no permission to create tables in it",
  "53300": "it has too many open connections",
  "57P03": "it is still starting",
  "25006": "it is read-only, such as a standby",
  "53100": "its disk is full",
  "55P03":
    "other transactions have used a table for so long that it could not be migrated: end them, for example a backup, or start again later",
};

function explainServer(error: unknown, databaseUrl: string): string | undefined {
  const reason = findUnreadableFile(error) ?? findReason(error, SERVER_REASONS) ?? findText(error);
  return reason === undefined
    ? undefined
    : `Cannot use the database ${showDatabaseUrl(databaseUrl)}: ${reason}. Check DATABASE_URL and the server`;
}

/** Explains an error about a file that the URL names, such as that of `sslrootcert`. */
function findUnreadableFile(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("path" in error) || !("syscall" in error)) return undefined;
  const { path, syscall } = error;
  // NOTE: a socket also has a path, to which a connection failed.
  if (typeof path !== "string" || (syscall !== "open" && syscall !== "read")) return undefined;
  return `cannot read the file ${path}: ${explainUnreadable(error)}`;
}

function findReason(error: unknown, reasons: Readonly<Record<string, string>>): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const inner: readonly unknown[] = error instanceof AggregateError ? error.errors : [];
  return (
    reasons[codeOf(error)] ??
    [...inner, error.cause].map((each) => findReason(each, reasons)).find((each) => each)
  );
}

/** Returns the message of connection errors without a code, for example TLS errors. */
function findText(error: unknown): string | undefined {
  const isConnectionProblem =
    isConnectionError(error) || /\bSSL\b|certificate/i.test(innermostMessage(error));
  return isConnectionProblem ? innermostMessage(error) : undefined;
}
