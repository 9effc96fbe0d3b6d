import type { Logger } from "flags-server-kit";

const ignore = (): void => {};

/** Discards all messages: the output of a subcommand contains only its result. */
export const SILENT: Logger = {
  debug: ignore,
  info: ignore,
  warn: ignore,
  error: ignore,
  fatal: ignore,
};
