import {
  type DestinationStream,
  destination as openDestination,
  pino,
  stdTimeFunctions,
} from "pino";
import { createLineFormat, toLogRecord } from "./log-record.ts";
import type { LogTap } from "./log-tap.ts";
import { LOG_LEVELS, toLogger, type Logger, type LogLevel } from "./logger.ts";
import { createRedact } from "./redact.ts";

interface LogDestination {
  write(line: string): unknown;
}

export interface LoggerSettings {
  readonly level: LogLevel;
  readonly json: boolean;
  readonly secrets: readonly string[];
  /** Name of one of several processes, such as `worker 2`, which every line contains. */
  readonly process?: string;
  /** Receives every line that is written. @default none */
  readonly tap?: LogTap | undefined;
  /** @default standard output */
  readonly destination?: LogDestination;
}

/** Creates the built-in logger. It writes synchronously, so that no line is lost when the process exits. */
export function createLogger(settings: LoggerSettings): Logger {
  const { level: minLevel, secrets, process, tap } = settings;
  const redact = createRedact(secrets);
  const target = pino(
    {
      level: minLevel,
      base: process === undefined ? null : { process },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    toDestination(settings),
  );
  return toLogger((level, message, details) => {
    if (LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(minLevel)) return;
    const withStack = minLevel === "debug" || level === "fatal";
    const { text, fields } = toLogRecord(redact(message), details.map(redact), withStack);
    target[level]({ ...fields, ...tap?.activeSpan() }, text);
    tap?.write({ level, text, fields, timeMs: Date.now() });
  });
}

/** Lines that could not be written wait up to this total length. Any others are lost. */
const MAX_WAITING_LENGTH = 1024 * 1024;

function toDestination({ json, destination }: LoggerSettings): DestinationStream {
  const output = destination ?? openStandardOutput();
  const format = json ? undefined : createLineFormat(destination === undefined);
  return {
    write: (line) => {
      const text = format === undefined ? line : format(line);
      try {
        output.write(text);
      } catch {
        // The disk of a redirected output may be full. The service continues without the line.
      }
    },
  };
}

function openStandardOutput(): LogDestination {
  const output = openDestination({ dest: 1, sync: true, maxLength: MAX_WAITING_LENGTH });
  // NOTE: pino adds a listener that throws unless the reader of a pipe has gone.
  output.removeAllListeners("error").on("error", () => undefined);
  return output;
}
