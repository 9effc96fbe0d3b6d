// What Node says when a connection cannot be made or breaks.
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

// What PostgreSQL reports when it goes away, is starting, became a replica, or lacks a resource. A
// full disk (53100) is not among them: that failure has a message of its own.
const SERVER_CODES = new Set([
  "53000",
  "53200",
  "53300",
  "53400",
  "57P01",
  "57P02",
  "57P03",
  "25006",
  "25P03",
]);

// What PostgreSQL says when a lock or an answer took too long.
const TIMEOUT_CODES = new Set(["55P03", "57014"]);

// The driver has no codes for these.
const DRIVER_MESSAGES = [
  "Connection terminated",
  "Client has encountered a connection error and is not queryable",
  "timeout exceeded when trying to connect",
  "Cannot use a pool after calling end on the pool",
  "Query read timeout",
  "PGlite is closed",
  "PGlite is closing",
];

/** Whether an error says that the database is away for now, as opposed to: did not like a statement. */
export function isConnectionFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (isConnectionCode(codeOf(error))) return true;
  if (DRIVER_MESSAGES.some((message) => error.message.includes(message))) return true;
  if (error instanceof AggregateError) return error.errors.some(isConnectionFailure);
  return isConnectionFailure(error.cause);
}

/** Whether an error says that the database did not get to it in time. */
export function isTimeout(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return TIMEOUT_CODES.has(codeOf(error)) || isTimeout(error.cause);
}

function codeOf(error: Error): string {
  return "code" in error && typeof error.code === "string" ? error.code : "";
}

function isConnectionCode(code: string): boolean {
  return SYSTEM_CODES.has(code) || SERVER_CODES.has(code) || /^08[0-9A-Z]{3}$/.test(code);
}
