import {
  collectSecrets,
  ConfigError,
  createLogger,
  type Environment,
  findUnknownVariables,
  findWeakSecrets,
  isLoopbackHost,
  nameSetting,
  REDACTED,
  type Resolution,
  resolveSettings,
} from "flags-service";
import { PROGRAM } from "../program.ts";
import type { AdminConfig } from "./config.ts";
import { showDatabaseUrl } from "./database-url-kind.ts";
import { readInitTokens } from "./read-init-tokens.ts";
import { SETTINGS, type Settings, type Values } from "./settings.ts";

/**
 * Checks everything the service is told by the environment, and fills in defaults.
 *
 * @throws {ConfigError} when anything is wrong, with all that is wrong
 */
export function loadConfig(environment: Environment): AdminConfig {
  const resolution = resolveSettings(SETTINGS, { environment });
  const { values } = resolution;
  const { tokens, problems: tokenProblems } = readInitTokens(values);
  const problems = [...resolution.problems, ...tokenProblems];
  const hints = [...findWithoutEffect(resolution), ...findUnknownVariables(PROGRAM, environment)];
  if (problems.length > 0) throw new ConfigError(problems, hints);

  const logger = createLogger({
    level: values.logLevel,
    json: values.useJsonLogger,
    secrets: collectSecrets(SETTINGS, values),
  });
  for (const warning of [...hints, ...findWeakTokens(values)]) logger.warn(warning);
  logger.debug("Configuration", showValues(values));
  return assembleConfig(values, { logger, initTokens: tokens });
}

function assembleConfig(
  values: Values,
  { logger, initTokens }: Pick<AdminConfig, "logger" | "initTokens">,
): AdminConfig {
  const { port, host, trustProxy, databaseUrl, dataDir, useJsonLogger } = values;
  return Object.freeze({
    port,
    host,
    trustProxy: Object.freeze(trustProxy),
    databaseUrl,
    dataDir,
    initTokens: Object.freeze(initTokens),
    logger,
    useJsonLogger,
  });
}

function findWithoutEffect({ origins }: Resolution<Settings>): readonly string[] {
  const isOdd = origins.has("databaseUrl") && origins.has("dataDir");
  return isOdd ? ["DATA_DIR has no effect beside DATABASE_URL"] : [];
}

/**
 * Shorter frontend tokens get a warning, in characters. They are part of web pages and apps, so more
 * would not make them secret.
 */
const MIN_FRONTEND_SECRET_LENGTH = 8;

function findWeakTokens(values: Values): readonly string[] {
  const isLoopback = isLoopbackHost(values.host);
  return (["initAdminTokens", "initClientTokens", "initFrontendTokens"] as const).flatMap((name) =>
    findWeakSecrets(nameSetting(SETTINGS[name]), values[name], {
      // Shorter admin and client tokens are errors.
      minLength: name === "initFrontendTokens" ? MIN_FRONTEND_SECRET_LENGTH : 0,
      isLoopback,
    }),
  );
}

/** The settings without their secrets, for the log. */
function showValues(values: Values): Readonly<Record<string, unknown>> {
  return {
    ...values,
    databaseUrl: values.databaseUrl && showDatabaseUrl(values.databaseUrl),
    initAdminTokens: values.initAdminTokens.map(() => REDACTED),
    initClientTokens: values.initClientTokens.map(() => REDACTED),
    initFrontendTokens: values.initFrontendTokens.map(() => REDACTED),
  };
}
