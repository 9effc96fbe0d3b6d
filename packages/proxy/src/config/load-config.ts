import {
  collectSecrets,
  ConfigError,
  createLogger,
  defaultMaxConnections,
  type Environment,
  findUnknownOptions,
  findUnknownVariables,
  isRecord,
  type Logger,
  readOpenFileLimit,
  type Resolution,
  resolveSettings,
  wrapLogger,
} from "flags-server-kit";
import { loadEnrichers } from "../extensions/enrichers.ts";
import { loadStrategies } from "../extensions/strategies.ts";
import { PROGRAM } from "../program.ts";
import { assembleConfig, type LoadedConfig } from "./assemble-config.ts";
import { checkTogether } from "./check-together.ts";
import { findUnreachableLimits } from "./connection-hints.ts";
import type { ProxyOptions } from "./options.ts";
import { redactConfig } from "./redact-config.ts";
import { SETTINGS, type Settings, type Values } from "./settings.ts";

/** Of the worker that asks, if it is one. */
export interface WorkerIdentity {
  /** Tells it from the others. */
  readonly id: number;
}

/**
 * Checks everything the proxy is told, by options and by the environment, and fills in defaults.
 *
 * @param worker names itself in every line of its log, and leaves unsaid what was said by the
 *   process that started it
 * @throws {ConfigError} when anything is wrong, with all that is wrong
 */
export async function loadConfig(
  options: ProxyOptions,
  environment: Environment,
  worker?: WorkerIdentity,
): Promise<LoadedConfig> {
  if (!isRecord(options)) throw new ConfigError(["Options must be an object"]);
  const resolution = resolveSettings(SETTINGS, { options, environment });
  const { values } = resolution;
  const together = checkTogether(resolution);
  const openFiles = { limit: readOpenFileLimit() };
  const maxConnections =
    values.maxConnections ?? defaultMaxConnections(values.pushMaxStreams, openFiles);
  const [strategies, enrichers] = await loadFiles(resolution);
  const problems = [
    ...together.problems,
    ...resolution.problems,
    ...findUnknownOptions(PROGRAM, options),
    ...strategies.problems,
    ...enrichers.problems,
  ];
  const hints = [
    ...together.hints,
    ...findUnreachableLimits(resolution, maxConnections, openFiles),
    ...strategies.hints,
    ...findUnknownVariables(PROGRAM, environment),
  ];
  if (problems.length > 0) throw new ConfigError(problems, hints);

  const logger = chooseLogger(values, worker);
  const config = assembleConfig(values, {
    logger,
    maxConnections,
    customStrategies: strategies.strategies,
    contextEnrichers: enrichers.extensions,
  });
  if (worker !== undefined) return config;
  for (const warning of [...hints, ...together.risks]) logger.warn(warning);
  logger.debug("Configuration", redactConfig(config));
  return config;
}

function loadFiles({ values, origins }: Resolution<Settings>) {
  return Promise.all([
    loadStrategies(values.customStrategies, origins.get("customStrategies") ?? ""),
    loadEnrichers(values.customEnrichers, origins.get("customEnrichers") ?? ""),
  ]);
}

function chooseLogger(values: Values, worker: WorkerIdentity | undefined): Logger {
  const secrets = collectSecrets(SETTINGS, values);
  if (values.logger !== undefined) return wrapLogger(values.logger, secrets);
  return createLogger({
    level: values.logLevel,
    json: values.useJsonLogger,
    secrets,
    ...(worker && { process: `worker ${worker.id}` }),
  });
}
