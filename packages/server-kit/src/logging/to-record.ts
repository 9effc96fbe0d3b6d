/** What one call of a logger comes to. */
export interface LogRecord {
  readonly text: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** How an error looks in the log. */
export interface LoggedError {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
  /** Absent where the message says it already. */
  readonly cause?: string;
  readonly stack?: string;
}

/** Sorts a message and its details into text, the error and everything else. */
export function toRecord(
  message: unknown,
  details: readonly unknown[],
  withStack: boolean,
): LogRecord {
  const isText = typeof message === "string";
  const parts = isText ? details : [message, ...details];
  const error = parts.find((part) => part instanceof Error);
  const rest = parts
    .filter((part) => part !== error)
    .map((part) => withLoggedErrors(part, (each) => toLoggedError(each, withStack)));
  return {
    text: isText ? message : sayError(error),
    fields: {
      ...(error === undefined ? {} : { error: toLoggedError(error, withStack) }),
      ...(rest.length === 0 ? {} : { details: rest.length === 1 ? rest[0] : rest }),
    },
  };
}

function sayError(error: Error | undefined): string {
  if (error === undefined) return "";
  return error.message === "" ? error.name : error.message;
}

/** JSON leaves nothing of an error, so it is put into words, inside an object as well. */
function withLoggedErrors(part: unknown, describe: (error: Error) => LoggedError): unknown {
  if (part instanceof Error) return describe(part);
  if (typeof part !== "object" || part === null || Array.isArray(part)) return part;
  const entries = Object.entries(part).map(([key, value]: [string, unknown]) => [
    key,
    value instanceof Error ? describe(value) : value,
  ]);
  return Object.fromEntries(entries);
}

function toLoggedError(error: Error, withStack: boolean): LoggedError {
  const { name, message, cause, stack } = error;
  const code = "code" in error && typeof error.code === "string" ? error.code : undefined;
  return {
    name,
    message: sayError(error),
    ...(code === undefined ? {} : { code }),
    ...(cause instanceof Error && !message.includes(cause.message) ? { cause: cause.message } : {}),
    ...(withStack && stack !== undefined ? { stack } : {}),
  };
}
