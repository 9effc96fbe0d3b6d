/** Log levels, from the most to the least verbose. */
export const LOG_LEVELS = ["debug", "info", "warn", "error", "fatal"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** A logger with one method per level. Any object with the methods of `console` and `fatal` works. */
export interface Logger {
  debug(message: unknown, ...details: unknown[]): void;
  info(message: unknown, ...details: unknown[]): void;
  warn(message: unknown, ...details: unknown[]): void;
  error(message: unknown, ...details: unknown[]): void;
  fatal(message: unknown, ...details: unknown[]): void;
}

/** A logger of the embedding program. Without `fatal`, its `error` is used. */
export type CustomLogger = Omit<Logger, "fatal"> & Partial<Pick<Logger, "fatal">>;

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
