import type { Environment } from "../config/resolve-options.ts";
import { readEnvironment } from "../config/resolve-settings.ts";
import { type Closable, shutDown, type ShutDownTimes } from "../http/shut-down.ts";
import { createLogger } from "../logging/create-logger.ts";
import type { Logger } from "../logging/logger.ts";
import type { Program } from "./program.ts";
import { explainStartFailure } from "./start-failure.ts";
import { EXIT_FAILURE } from "./program.ts";

/**
 * Container runtimes commonly kill a process that has not stopped after 10 s. With the default delay of 5 s, the other
 * steps of a graceful shutdown have this time. Their own limits add up to less:
 *
 * - 1.25 s for connections (shut-down.ts), or 1.5 s for workers
 * - 2 s for the last usage (usage-reporter.ts of flags-sdk), then 0.5 s for its spool (usage-spool.ts)
 * - 0.5 s for telemetry (start-telemetry.ts)
 */
const CLOSE_TIMEOUT_MS = 4750;

/** A program that is stopped while it starts has to complete its start, too. */
const STOP_TIMEOUT_MS = 9750;

/** Workers need at most 0.75 s for connections and 0.5 s for telemetry. */
export const WORKER_STOP_TIMEOUT_MS = 1500;
const WORKER_DRAIN_MS = 750;

interface RunnableConfig {
  readonly logger: Logger;
  readonly useJsonLogger: boolean;
  readonly shutdownDelayMs: number;
}

/** A server that is listening. */
export interface RunningServer extends Closable {
  /** Where the server listens, for the log: `is listening on` is followed by this. */
  readonly address: string;
}

interface Run<Config extends RunnableConfig, Env> {
  readonly loadConfig: (environment: Env) => Promise<Config>;
  readonly serve: (config: Config, environment: Env) => Promise<RunningServer>;
}

/** SIGHUP arrives when the terminal is closed; Node would end the process at once, even under `nohup`. */
const STOP_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Serves until one of `STOP_SIGNALS`, then ends the process. If it cannot start, prints the reason. */
export async function serveUntilSignal<Config extends RunnableConfig, Env>(
  { name, version, displayName }: Program,
  { loadConfig, serve }: Run<Config, Env>,
  environment: Env,
): Promise<void> {
  let logger: Logger | undefined;
  // Nobody sends requests yet to a program that is stopped while it starts.
  let shutdownDelayMs = 0;
  const stopped = waitForSignal().then((signal) => {
    const delayMs = signal === "SIGTERM" ? shutdownDelayMs : 0;
    limitTime(Math.max(STOP_TIMEOUT_MS, delayMs + CLOSE_TIMEOUT_MS), () => logger);
    return { signal, delayMs };
  });
  try {
    const config = await loadConfig(environment);
    logger = config.logger;
    exitOnCrash(config.logger, displayName);
    const server = await serve(config, environment);
    ({ shutdownDelayMs } = config);
    announce(config, `${name} ${version} is listening on ${server.address}`);
    const { signal, delayMs } = await stopped;
    config.logger.info(`Received ${signal}, shutting down`);
    process.exit(await stop(server, config.logger, { delayMs }));
  } catch (error) {
    process.stderr.write(`${explainStartFailure(error)}\n`);
    process.exit(EXIT_FAILURE);
  }
}

function limitTime(timeoutMs: number, logger: () => Logger | undefined): void {
  setTimeout(() => {
    logger()?.error(
      `The shutdown took longer than ${timeoutMs / 1000} s, so the process ends without completing it`,
    );
    process.exit(EXIT_FAILURE);
  }, timeoutMs).unref();
}

/** Resolves at the first signal. A second signal ends the process immediately. */
function waitForSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let isStopping = false;
    const onSignal = (signal: NodeJS.Signals): void => {
      if (isStopping) process.exit(EXIT_FAILURE);
      isStopping = true;
      resolve(signal);
    };
    for (const signal of STOP_SIGNALS) process.on(signal, onSignal);
  });
}

/** Logs that the program is ready, regardless of the log level: scripts wait for this line. */
function announce({ useJsonLogger }: RunnableConfig, message: string): void {
  createLogger({ level: "info", json: useJsonLogger, secrets: [] }).info(message);
}

/** How a worker runs: a child process that the process of a command starts and stops. */
interface WorkerRun<Config extends { readonly logger: Logger }> {
  readonly displayName: string;
  readonly loadConfig: (environment: Environment) => Promise<Config>;
  readonly serve: (config: Config) => Promise<Closable>;
  /** Resolves when the worker should stop, to how long it still serves requests. */
  readonly stopped: Promise<{ readonly delayMs: number }>;
  /** Reports to the parent process why the worker cannot run. Resolves once the reason is sent. */
  readonly reportFailure: (reason: string) => Promise<void>;
}

/** The worker ignores signals: a terminal sends Ctrl-C to all processes, and the parent decides their order. */
export async function runWorker<Config extends { readonly logger: Logger }>(
  run: WorkerRun<Config>,
): Promise<void> {
  for (const signal of STOP_SIGNALS) process.on(signal, () => {});
  try {
    const config = await run.loadConfig(readEnvironment());
    exitOnCrash(config.logger, run.displayName);
    const server = await run.serve(config);
    const { delayMs } = await run.stopped;
    process.exit(await stop(server, config.logger, { delayMs, drainMs: WORKER_DRAIN_MS }));
  } catch (error) {
    await run.reportFailure(explainStartFailure(error));
    process.exit(EXIT_FAILURE);
  }
}

async function stop(server: Closable, logger: Logger, times: ShutDownTimes): Promise<number> {
  try {
    await shutDown(server, times);
    return 0;
  } catch (error) {
    logger.error("The shutdown failed", error);
    return EXIT_FAILURE;
  }
}

function exitOnCrash(logger: Logger, displayName: string): void {
  const onCrash = (error: unknown): void => {
    logger.fatal(`Uncaught error, shutting down ${displayName}`, error);
    process.exit(EXIT_FAILURE);
  };
  process.on("uncaughtException", onCrash);
  process.on("unhandledRejection", onCrash);
}
