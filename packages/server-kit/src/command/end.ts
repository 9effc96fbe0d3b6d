import type { Logger } from "../logging/logger.ts";
import { shutDown, type Closable } from "../server/shut-down.ts";
import { EXIT_FAILURE } from "./exit-codes.ts";

/** Closes in bounded time. Resolves to the exit code. */
export async function stop(server: Closable, logger: Logger): Promise<number> {
  try {
    await shutDown(server);
    return 0;
  } catch (error) {
    logger.error("Cannot stop in an orderly way", error);
    return EXIT_FAILURE;
  }
}

/** Ends the process, with a line in the log, after a failure that nobody caught. */
export function exitOnCrash(logger: Logger, displayName: string): void {
  const onCrash = (error: unknown): void => {
    logger.fatal(`Unexpected failure, ${displayName} stops`, error);
    process.exit(EXIT_FAILURE);
  };
  process.on("uncaughtException", onCrash);
  process.on("unhandledRejection", onCrash);
}
