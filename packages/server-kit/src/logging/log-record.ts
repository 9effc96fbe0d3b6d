import { isColorSupported, prettyFactory } from "pino-pretty";
import { codeOf } from "../errors.ts";
import { isRecord } from "../json.ts";

interface LogRecord {
  readonly text: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

interface LoggedError {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
  /** Message of the cause; absent if the message of the error contains it. */
  readonly cause?: string;
  readonly stack?: string;
}

/** Separates a message and its details into the text, the first error and all other details. */
export function toLogRecord(
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
    text: isText ? message : messageOf(error),
    fields: {
      ...(error === undefined ? {} : { error: toLoggedError(error, withStack) }),
      ...(rest.length === 0 ? {} : { details: rest.length === 1 ? rest[0] : rest }),
    },
  };
}

function messageOf(error: Error | undefined): string {
  if (error === undefined) return "";
  return error.message === "" ? error.name : error.message;
}

/** JSON would omit the content of errors, also in members of an object. */
function withLoggedErrors(part: unknown, describe: (error: Error) => LoggedError): unknown {
  if (part instanceof Error) return describe(part);
  if (!isRecord(part)) return part;
  const entries = Object.entries(part).map(([key, value]) => [
    key,
    value instanceof Error ? describe(value) : value,
  ]);
  return Object.fromEntries(entries);
}

function toLoggedError(error: Error, withStack: boolean): LoggedError {
  const { name, message, cause, stack } = error;
  const code = codeOf(error);
  return {
    name,
    message: messageOf(error),
    ...(code !== "" && { code }),
    ...(cause instanceof Error && !message.includes(cause.message) ? { cause: cause.message } : {}),
    ...(withStack && stack !== undefined ? { stack } : {}),
  };
}

interface LoggedLine {
  readonly msg?: string;
  readonly error?: LoggedError;
  readonly process?: string;
}

export function createLineFormat(isTerminalPossible: boolean): (json: string) => string {
  return prettyFactory({
    colorize: isTerminalPossible && isColorSupported,
    ignore: "error,process",
    singleLine: true,
    translateTime: "UTC:yyyy-mm-dd'T'HH:MM:ss.l'Z'",
    messageFormat: (log) => {
      const { msg = "", error, process } = log as LoggedLine;
      return formatMessage(process === undefined ? msg : `${process}: ${msg}`, error);
    },
  });
}

function formatMessage(text: string, error: LoggedError | undefined): string {
  if (error === undefined) return escapeControls(text);
  const cause = error.cause === undefined ? "" : ` (${error.cause})`;
  const message = text.includes(error.message) ? text : `${text}: ${error.message}`;
  const line = escapeControls(`${message}${cause}`);
  return [line, ...stackFrames(error.stack)].join("\n");
}

/** Returns the lines of a stack below the message, which may contain line breaks itself. */
function stackFrames(stack = ""): readonly string[] {
  const lines = stack.split("\n").filter((line) => line.startsWith("    at "));
  return lines.map(escapeControls);
}

/** NOTE: a message may quote a client; a line break in it must not forge another log line. */
function escapeControls(text: string): string {
  return text.replace(
    /[\p{Cc}\u2028\u2029]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
