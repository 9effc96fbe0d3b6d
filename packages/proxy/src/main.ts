import { parseArguments } from "./command/arguments.ts";
import { explainFailure } from "./command/explain-failure.ts";
import { formatHelp } from "./command/help.ts";
import type { LoadedConfig } from "./config/assemble-config.ts";
import { readEnvironment } from "./config/env.ts";
import { loadConfig } from "./config/load-config.ts";
import { createLogger } from "./logging/create-logger.ts";
import type { Logger } from "./logging/logger.ts";
import { shutDown } from "./shutdown.ts";
import { version } from "./version.ts";

const EXIT_FAILURE = 1;
const EXIT_USAGE = 2;

/** A service manager kills what has not stopped after 10 s. */
const STOP_TIMEOUT_MS = 9500;

await main();

async function main(): Promise<void> {
  const request = parseArguments(process.argv.slice(2));
  switch (request.kind) {
    case "run":
      return run();
    case "help":
      process.stdout.write(formatHelp(version));
      return;
    case "version":
      process.stdout.write(`${version}\n`);
      return;
    case "unknown":
      process.stderr.write(`Unknown argument ${request.argument}: try flags-proxy --help\n`);
      process.exitCode = EXIT_USAGE;
  }
}

async function run(): Promise<void> {
  const stopped = waitForSignal();
  try {
    const config = await loadConfig({}, readEnvironment());
    exitOnCrash(config.logger);
    // NOTE: not loaded before it is known to be needed, as it takes most of the time of a start.
    const { serve } = await import("./start.ts");
    const proxy = await serve(config);
    announce(config, `flags-proxy ${version} listens on ${proxy.url}/proxy`);
    const signal = await stopped;
    config.logger.info(`Stopping after ${signal}`);
    await shutDown(proxy);
    process.exit(0);
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

function exitOnCrash(logger: Logger): void {
  const onCrash = (error: unknown): void => {
    logger.fatal("Unexpected failure, the proxy stops", error);
    process.exit(EXIT_FAILURE);
  };
  process.on("uncaughtException", onCrash);
  process.on("unhandledRejection", onCrash);
}

/** Says at every level that the proxy is up: whoever starts it waits for that. */
function announce({ useJsonLogger }: LoadedConfig, message: string): void {
  createLogger({ level: "info", json: useJsonLogger, secrets: [] }).info(message);
}
