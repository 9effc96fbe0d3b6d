import {
  collectSecrets,
  ConfigError,
  createLogger,
  defaultMaxConnections,
  type Environment,
  explainUnreachable,
  findUnknownVariables,
  findWeakSecrets,
  isLoopbackHost,
  MIN_SECRET_LENGTH,
  MIN_PUBLIC_KEY_LENGTH,
  nameSetting,
  type OpenFiles,
  readOpenFileLimit,
  REDACTED,
  type Resolution,
  resolveSettings,
} from "flags-server-kit";
import { PROGRAM } from "../program.ts";
import { BYTES_PER_MB } from "../storage/disk-guard.ts";
import type { AdminConfig } from "./config.ts";
import { showDatabaseUrl } from "./database-url-kind.ts";
import { LIMITS } from "../limits.ts";
import { readInitTokens } from "./read-init-tokens.ts";
import { SETTINGS, type Settings, type Values } from "./settings.ts";

/** The embedded database keeps a file open for each table and index that is in use. */
const MIN_RESERVED_FILES = 256;

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
  const openFiles = { limit: readOpenFileLimit(), minReserved: MIN_RESERVED_FILES };
  const hints = [
    ...findWithoutEffect(resolution),
    ...findUnreachableLimit(resolution, openFiles),
    ...findUnknownVariables(PROGRAM, environment),
  ];
  if (problems.length > 0) throw new ConfigError(problems, hints);

  const logger = createLogger({
    level: values.logLevel,
    json: values.useJsonLogger,
    secrets: collectSecrets(SETTINGS, values),
  });
  for (const warning of [...hints, ...findWeakTokens(values)]) logger.warn(warning);
  logger.debug("Configuration", showValues(values));
  const maxConnections = values.maxConnections ?? defaultMaxConnections(LIMITS.streams, openFiles);
  return assembleConfig(values, { logger, maxConnections, initTokens: tokens });
}

function assembleConfig(
  values: Values,
  {
    logger,
    maxConnections,
    initTokens,
  }: Pick<AdminConfig, "logger" | "maxConnections" | "initTokens">,
): AdminConfig {
  const { port, host, trustProxy, databaseUrl, dataDir, minFreeDiskMb, useJsonLogger } = values;
  return Object.freeze({
    port,
    host,
    trustProxy: Object.freeze(trustProxy),
    maxConnections,
    databaseUrl,
    dataDir,
    minFreeDiskBytes: minFreeDiskMb * BYTES_PER_MB,
    initTokens: Object.freeze(initTokens),
    logger,
    useJsonLogger,
  });
}

function findWithoutEffect({ origins }: Resolution<Settings>): readonly string[] {
  if (!origins.has("databaseUrl")) return [];
  const embeddedOnly = [
    ["dataDir", "DATA_DIR"],
    ["minFreeDiskMb", "MIN_FREE_DISK_MB"],
  ] as const;
  return embeddedOnly
    .filter(([setting]) => origins.has(setting))
    .map(([, variable]) => `${variable} has no effect beside DATABASE_URL`);
}

function findUnreachableLimit(
  { values, origins }: Resolution<Settings>,
  openFiles: OpenFiles,
): readonly string[] {
  const origin = origins.get("maxConnections");
  if (origin === undefined || values.maxConnections === undefined) return [];
  const hint = explainUnreachable(origin, values.maxConnections, openFiles);
  return hint === undefined ? [] : [hint];
}

function findWeakTokens(values: Values): readonly string[] {
  const isLoopback = isLoopbackHost(values.host);
  return (["initAdminTokens", "initClientTokens", "initFrontendTokens"] as const).flatMap((name) =>
    findWeakSecrets(nameSetting(SETTINGS[name]), values[name], {
      // Shorter admin and client tokens are errors unless only this machine can connect.
      minLength: name === "initFrontendTokens" ? MIN_PUBLIC_KEY_LENGTH : MIN_SECRET_LENGTH,
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
