import { DrizzleQueryError } from "drizzle-orm/errors";

const MAX_LENGTH = 500;

/**
 * A failure for the log. That of a statement names all values that were sent with it: hashes of
 * tokens, what users are told apart by, and megabytes of them.
 */
export function withoutValues(error: unknown): unknown {
  if (!(error instanceof DrizzleQueryError)) return error;
  return new Error(`Failed query: ${error.query.slice(0, MAX_LENGTH)}`, { cause: error.cause });
}
