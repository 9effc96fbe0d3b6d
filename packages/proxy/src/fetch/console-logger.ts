import {
  type CustomLogger,
  LOG_LEVELS,
  type Logger,
  type LogLevel,
} from "flags-server-kit/neutral";
import { wrapLogger } from "flags-server-kit/settings";

export function createConsoleLogger(level: LogLevel, secrets: readonly string[]): Logger {
  const { console } = globalThis;
  const isWritten = (each: LogLevel): boolean =>
    LOG_LEVELS.indexOf(each) >= LOG_LEVELS.indexOf(level);
  const at = (each: Exclude<LogLevel, "fatal">): CustomLogger[typeof each] =>
    isWritten(each) ? (...parts) => console[each](...parts) : () => undefined;
  const quiet: CustomLogger = {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
  };
  return wrapLogger(quiet, secrets);
}
