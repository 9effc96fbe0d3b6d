import type { Environment } from "../config/environment.ts";
import { readEnvironment } from "../config/env.ts";
import type { Logger } from "../logging/logger.ts";
import type { Closable } from "../server/shut-down.ts";
import { exitOnCrash, stop } from "./end.ts";
import { EXIT_FAILURE } from "./exit-codes.ts";
import { explainFailure } from "./explain-failure.ts";

/** What a worker does: a process that the process of a command has started, and that it ends. */
export interface WorkerRun<Config extends { readonly logger: Logger }> {
  /** What messages call it, such as `this worker`. */
  readonly displayName: string;
  readonly loadConfig: (environment: Environment) => Promise<Config>;
  readonly serve: (config: Config) => Promise<Closable>;
  /** Resolves when the worker is to end. */
  readonly stopped: Promise<unknown>;
  /** Tells who started the worker why it cannot work; resolves when that was told. */
  readonly tellFailure: (reason: string) => Promise<void>;
}

/**
 * Serves until the worker is told to stop. Signals are left to the process that started it: a
 * terminal sends Ctrl-C to all processes at once, and the order of their ends is up to that one.
 */
export async function runWorker<Config extends { readonly logger: Logger }>(
  run: WorkerRun<Config>,
): Promise<void> {
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => {});
  try {
    const config = await run.loadConfig(readEnvironment());
    exitOnCrash(config.logger, run.displayName);
    const server = await run.serve(config);
    await run.stopped;
    process.exit(await stop(server, config.logger));
  } catch (error) {
    await run.tellFailure(explainFailure(error));
    process.exit(EXIT_FAILURE);
  }
}
