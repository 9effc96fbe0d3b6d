import type { LogLevel } from "./log-level.ts";
import type { Logger } from "./logger.ts";

/** Makes a logger out of one function for all levels. */
export function toLogger(
  write: (level: LogLevel, message: unknown, details: readonly unknown[]) => void,
): Logger {
  return {
    debug: (message, ...details) => write("debug", message, details),
    info: (message, ...details) => write("info", message, details),
    warn: (message, ...details) => write("warn", message, details),
    error: (message, ...details) => write("error", message, details),
    fatal: (message, ...details) => write("fatal", message, details),
  };
}
