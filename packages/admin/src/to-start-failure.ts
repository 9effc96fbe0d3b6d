import { StartError } from "flags-server-kit";
import type { AdminConfig } from "./config/config.ts";
import { showDatabaseUrl } from "./config/database-url-kind.ts";
import { DiskFullError, isConnectionError } from "./storage/errors.ts";
import { DirectoryInUseError } from "./storage/directory-lock.ts";
import { SchemaTooNewError } from "./storage/migrate.ts";
import { EmbeddedStartError } from "./storage/durable-pglite.ts";

type DatabaseChoice = Pick<AdminConfig, "databaseUrl" | "dataDir">;

/** Puts why the database cannot be opened into a sentence, if the operator can mend it. */
export function toStartFailure(error: unknown, choice: DatabaseChoice): unknown {
  if (error instanceof DirectoryInUseError || error instanceof SchemaTooNewError) {
    return new StartError(error.message, { cause: error });
  }
  const message =
    choice.databaseUrl === undefined
      ? explainDirectory(error, choice.dataDir)
      : explainServer(error, choice.databaseUrl);
  return message === undefined ? error : new StartError(message, { cause: error });
}

// What the file system says.
const DIRECTORY_REASONS: Readonly<Record<string, string>> = {
  EACCES: "this user may not write there",
  EPERM: "this user may not write there",
  EROFS: "nothing can be written there",
  ENOSPC: "there is no space left",
  EDQUOT: "the disk quota is exhausted",
  EEXIST: "it is not a directory",
  ENOTDIR: "a part of it is not a directory",
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
    : `Cannot use the directory ${directory}: ${reason}, choose another one with DATA_DIR`;
}

// What Node says about the way there, and PostgreSQL about who asks.
const SERVER_REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nobody listens there",
  ENOENT: "nobody listens there",
  ENOTFOUND: "the host name is not known",
  EAI_AGAIN: "the host name cannot be looked up",
  ETIMEDOUT: "there was no answer in time",
  EHOSTUNREACH: "there is no way to that host",
  ENETUNREACH: "there is no way to that host",
  "28P01": "the user name or the password is wrong",
  "28000": "the server does not let this user in from here",
  "3D000": "there is no database of that name",
  "42501": "the user may not create tables there",
  "53300": "it has too many connections already",
  "57P03": "it is still starting",
  "25006": "it can only be read",
  "53100": "its disk is full",
};

function explainServer(error: unknown, databaseUrl: string): string | undefined {
  const reason = findReason(error, SERVER_REASONS) ?? findText(error);
  return reason === undefined
    ? undefined
    : `Cannot use the database ${showDatabaseUrl(databaseUrl)}: ${reason}, see DATABASE_URL`;
}

function findReason(error: unknown, reasons: Readonly<Record<string, string>>): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  const inner: readonly unknown[] = error instanceof AggregateError ? error.errors : [];
  return (
    reasons[code] ??
    [...inner, error.cause].map((each) => findReason(each, reasons)).find((each) => each)
  );
}

/** The driver has words and no code for some failures, such as one of TLS. */
function findText(error: unknown): string | undefined {
  const isOfConnection = isConnectionError(error) || /\bSSL\b|certificate/i.test(textOf(error));
  return isOfConnection ? textOf(error) : undefined;
}

/** NOTE: the innermost text, as the outer one quotes a statement. */
function textOf(error: unknown): string {
  if (!(error instanceof Error)) return "";
  return error.cause instanceof Error ? textOf(error.cause) : error.message;
}
