// Classifies database errors. PostgreSQL and the embedded database use the same SQLSTATE codes.

import { DrizzleQueryError } from "drizzle-orm/errors";
import { codeOf } from "flags-server-kit/neutral";

/** A write was rejected, or the database was not opened, because too little disk space is free. */
export class DiskFullError extends Error {
  override readonly name = "DiskFullError";
}

/** The database server is a standby. */
export class StandbyError extends Error {
  override readonly name = "StandbyError";
  /** What PostgreSQL itself reports for most writes to a standby. */
  readonly code = "25006";

  constructor() {
    super("The server is a standby, which is read-only");
  }
}

const DISK_FULL_CODE = "53100";

/** Whether an error means that a disk or a quota is exhausted. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof DiskFullError) return true;
  return codeOf(error) === DISK_FULL_CODE || isDiskFull(error.cause);
}

// Codes from Node: a connection cannot be opened or was lost.
const SYSTEM_CODES = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOENT",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EPIPE",
  "ETIMEDOUT",
]);

// Codes from PostgreSQL: it does not let the user connect, is shutting down, starting, read-only, or out of a
// resource. A full disk (53100) is excluded, because clients get a different message for it.
const SERVER_CODES = new Set([
  "28000",
  "28P01",
  "3D000",
  "53000",
  "53200",
  "53300",
  "53400",
  "57P01",
  "57P02",
  "57P03",
  "57P04",
  "57P05",
  "25006",
  "25P03",
]);

// Codes from PostgreSQL: a lock or a statement exceeded its timeout.
const TIMEOUT_CODES = new Set(["55P03", "57014"]);

// Driver errors that have no code.
const DRIVER_MESSAGES = [
  "The server does not support SSL connections",
  "Connection terminated",
  "Client has encountered a connection error and is not queryable",
  "timeout exceeded when trying to connect",
  "Cannot use a pool after calling end on the pool",
  "Query read timeout",
  "PGlite is closed",
  "PGlite is closing",
];

/** Whether the database is unavailable, rather than having rejected a statement. */
export function isConnectionError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (isConnectionCode(codeOf(error))) return true;
  if (DRIVER_MESSAGES.some((message) => error.message.includes(message))) return true;
  if (error instanceof AggregateError) return error.errors.some(isConnectionError);
  return isConnectionError(error.cause);
}

/** The connection failed during a commit, so nobody knows whether the change is stored. */
export class UnknownOutcomeError extends Error {
  override readonly name = "UnknownOutcomeError";

  constructor(cause: unknown) {
    super("The connection to the database failed during a commit", { cause });
  }
}

/** Whether a lock or a statement exceeded its timeout. */
export function isTimeout(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return TIMEOUT_CODES.has(codeOf(error)) || isTimeout(error.cause);
}

/** Codes from Node: the certificate of the server cannot be verified, or the handshake failed. */
const TLS_CODE = /CERT|LEAF_SIGNATURE|^ERR_(?:SSL|TLS)_/;

function isConnectionCode(code: string): boolean {
  return (
    SYSTEM_CODES.has(code) ||
    SERVER_CODES.has(code) ||
    /^08[0-9A-Z]{3}$/.test(code) ||
    TLS_CODE.test(code)
  );
}

/** Returns the message of the innermost error, because the outer one can contain a statement. */
export function innermostMessage(error: unknown): string {
  if (!(error instanceof Error)) return "";
  if (error.cause instanceof Error) return innermostMessage(error.cause);
  return error.message === "" ? codeOf(error) : error.message;
}

const MAX_QUERY_LENGTH = 500;

/**
 * Prepares an error for the log. The message of a failed statement contains all its parameters, such
 * as token hashes, user ids or megabytes of values; the result contains only the statement.
 */
export function withoutQueryValues(error: unknown): unknown {
  if (!(error instanceof DrizzleQueryError)) return error;
  const query = error.query.slice(0, MAX_QUERY_LENGTH);
  return new Error(`Failed query: ${query}`, { cause: error.cause });
}
