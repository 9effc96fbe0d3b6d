import {
  type DestinationStream,
  destination as openDestination,
  pino,
  stdTimeFunctions,
} from "pino";
import { LOG_LEVELS, type LogLevel } from "./log-level.ts";
import { createLineFormat } from "./line-format.ts";
import type { Logger } from "./logger.ts";
import { createRedact } from "./redact.ts";
import { toLogger } from "./to-logger.ts";
import { toRecord } from "./to-record.ts";

/** Takes one finished line, its line break included. */
export interface LogDestination {
  write(line: string): unknown;
}

export interface LoggerSettings {
  /** Least severe level that is written. */
  readonly level: LogLevel;
  /** One line of JSON per message, else text for people. */
  readonly json: boolean;
  /** Texts that must not appear in any line. */
  readonly secrets: readonly string[];
  /** Which of several processes it is that writes, such as `worker 2`: every line says it. */
  readonly process?: string;
  /** @default standard output */
  readonly destination?: LogDestination;
}

/** The built-in logger. Every line is written before the call returns, so none is lost at exit. */
export function createLogger(settings: LoggerSettings): Logger {
  const { level: least, secrets, process } = settings;
  const redact = createRedact(secrets);
  const target = pino(
    {
      level: least,
      base: process === undefined ? null : { process },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    toDestination(settings),
  );
  return toLogger((level, message, details) => {
    if (LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(least)) return;
    const withStack = least === "debug" || level === "fatal";
    const { text, fields } = toRecord(redact(message), details.map(redact), withStack);
    target[level](fields, text);
  });
}

function toDestination({ json, destination }: LoggerSettings): DestinationStream {
  const output = destination ?? openDestination({ dest: 1, sync: true });
  const format = json ? undefined : createLineFormat(destination === undefined);
  return {
    write: (line) => {
      output.write(format === undefined ? line : format(line));
    },
  };
}
