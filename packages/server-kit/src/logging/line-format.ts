import { isColorSupported, prettyFactory } from "pino-pretty";
import type { LoggedError } from "./to-record.ts";

interface LoggedLine {
  readonly msg?: string;
  readonly error?: LoggedError;
  readonly process?: string;
}

/** Makes a function that turns a line of JSON into a line for people. */
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
  return error.stack === undefined ? line : `${line}\n${error.stack}`;
}

/** NOTE: a message may quote what a client sent; a line break in it must not forge another line. */
function escapeControls(text: string): string {
  return text.replace(
    /[\p{Cc}\u2028\u2029]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
