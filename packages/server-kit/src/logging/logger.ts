/** What a program needs of a logger: one method per level. Any console-like object will do. */
export interface Logger {
  debug(message: unknown, ...details: unknown[]): void;
  info(message: unknown, ...details: unknown[]): void;
  warn(message: unknown, ...details: unknown[]): void;
  error(message: unknown, ...details: unknown[]): void;
  fatal(message: unknown, ...details: unknown[]): void;
}

/** A logger of the embedding program. Without `fatal`, its `error` is used. */
export type CustomLogger = Omit<Logger, "fatal"> & Partial<Pick<Logger, "fatal">>;
