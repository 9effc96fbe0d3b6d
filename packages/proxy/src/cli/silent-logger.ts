import type { Logger } from "flags-server-kit/neutral";

const ignore = (): void => {};

/** Discards all messages: the output of a subcommand contains only its result. */
export const SILENT: Logger = {
  debug: ignore,
  info: ignore,
  warn: ignore,
  error: ignore,
  fatal: ignore,
};
