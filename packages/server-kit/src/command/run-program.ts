import type { Environment } from "../config/environment.ts";
import { readEnvironment } from "../config/env.ts";
import { createLogger } from "../logging/create-logger.ts";
import type { Logger } from "../logging/logger.ts";
import type { Program } from "../program.ts";
import type { Closable } from "../server/shut-down.ts";
import { parseArguments } from "./arguments.ts";
import { exitOnCrash, stop } from "./end.ts";
import { EXIT_FAILURE, EXIT_USAGE } from "./exit-codes.ts";
import { explainFailure } from "./explain-failure.ts";
import { formatHelp } from "./help.ts";

/** A service manager kills what has not stopped after 10 s. */
const STOP_TIMEOUT_MS = 9500;

/** What running a program needs of its configuration. */
export interface RunnableConfig {
  readonly logger: Logger;
  readonly useJsonLogger: boolean;
}

/** A server that listens. */
export interface RunningServer extends Closable {
  /** Where its clients reach it. */
  readonly address: string;
}

/** What a program does when it is run. */
export interface Run<Config extends RunnableConfig> {
  readonly loadConfig: (environment: Environment) => Promise<Config>;
  readonly serve: (config: Config) => Promise<RunningServer>;
}

/**
 * Does what the arguments of the process ask for: serves until a signal arrives, or tells about the
 * program. What goes wrong before it serves is told in words, and ends the process with a code.
 */
export async function runProgram<Config extends RunnableConfig>(
  program: Program,
  run: Run<Config>,
): Promise<void> {
  const request = parseArguments(process.argv.slice(2));
  switch (request.kind) {
    case "run":
      return serveUntilSignal(program, run);
    case "help":
      process.stdout.write(formatHelp(program));
      return;
    case "version":
      process.stdout.write(`${program.version}\n`);
      return;
    case "unknown":
      process.stderr.write(`Unknown argument ${request.argument}: try ${program.name} --help\n`);
      process.exitCode = EXIT_USAGE;
  }
}

async function serveUntilSignal<Config extends RunnableConfig>(
  { name, version, displayName }: Program,
  { loadConfig, serve }: Run<Config>,
): Promise<void> {
  const stopped = waitForSignal();
  try {
    const config = await loadConfig(readEnvironment());
    exitOnCrash(config.logger, displayName);
    const server = await serve(config);
    announce(config, `${name} ${version} listens on ${server.address}`);
    config.logger.info(`Stopping after ${await stopped}`);
    process.exit(await stop(server, config.logger));
  } catch (error) {
    process.stderr.write(`${explainFailure(error)}\n`);
    process.exit(EXIT_FAILURE);
  }
}

/** Resolves at the first signal. A second one ends the process at once. */
function waitForSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let isStopping = false;
    const onSignal = (signal: NodeJS.Signals): void => {
      if (isStopping) process.exit(EXIT_FAILURE);
      isStopping = true;
      setTimeout(() => process.exit(EXIT_FAILURE), STOP_TIMEOUT_MS).unref();
      resolve(signal);
    };
    process.on("SIGINT", onSignal);
    process.on("SIGTERM", onSignal);
  });
}

/** Says at every level that the program is up: whoever starts it waits for that. */
function announce({ useJsonLogger }: RunnableConfig, message: string): void {
  createLogger({ level: "info", json: useJsonLogger, secrets: [] }).info(message);
}
