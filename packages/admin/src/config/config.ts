import {
  collectSecrets,
  ConfigError,
  createLogger,
  defaultMaxConnections,
  explainUnreachableLimit,
  fileVariableOf,
  findUnknownVariables,
  findWeakSecrets,
  LogTap,
  MIN_PUBLIC_KEY_LENGTH,
  MIN_SECRET_LENGTH,
  nameSetting,
  type OpenFiles,
  readOpenFileLimit,
  type Resolution,
  resolveSettings,
  showSettings,
  type TelemetryConfig,
  toTelemetryConfig,
  type UnknownVariable,
  wrapLogger,
} from "flags-server-kit";
import { type Environment, isLoopbackHost } from "flags-server-kit/command-line";
import type { CustomLogger, Logger } from "flags-server-kit/neutral";
import { PROGRAM, SETTINGS, type Settings, type Values } from "./settings.ts";
import {
  findOpenIdProblems,
  findUnusedOpenId,
  toOpenIdConfig,
  type OpenIdConfig,
} from "./openid-config.ts";
import {
  type ConfiguredToken,
  type ConfiguredTokenType,
  parseConfiguredTokens,
} from "../access/configured-tokens.ts";
import { findPasswordProblem } from "../accounts/password.ts";
import { findUsernameProblem } from "../accounts/username.ts";
import { LIMITS } from "../limits.ts";
import type { Retention } from "../retention.ts";

/** The settings from which other members of the configuration are computed. */
type Source =
  | `${"otel" | "oidc" | "init"}${string}`
  | `${string}Retention${string}`
  | "minFreeDiskMb"
  | "logLevel"
  | "maxConnections";

/** The validated configuration with defaults filled in. Frozen. */
export interface AdminConfig extends Pick<Values, Exclude<keyof Values, Source>> {
  /** Maximum number of open connections. */
  readonly maxConnections: number;
  /** How users sign in with an OpenID provider; undefined if they do not. */
  readonly openId: OpenIdConfig | undefined;
  /** The embedded database rejects writes while less disk space than this is free. */
  readonly minFreeDiskBytes: number;
  /** How long usage, applications and events are kept. */
  readonly retention: Retention;
  /** Tokens to create at startup if they do not exist. */
  readonly configuredTokens: readonly ConfiguredToken[];
  /** The admin to create at startup if nobody with an account is an admin. */
  readonly configuredAdmin: { readonly username: string; readonly password: string } | undefined;
  readonly logger: Logger;
  /** Undefined: OpenTelemetry is not enabled, and not loaded. */
  readonly telemetry: TelemetryConfig | undefined;
  /** The tap of the logger, if telemetry is enabled. */
  readonly logTap: LogTap | undefined;
}

const BYTES_PER_MB = 1_048_576;

/** The embedded database has a file open for each table and index in use. */
const MIN_RESERVED_FILES = 256;

/**
 * Reads the configuration from environment variables, and logs warnings about it.
 *
 * @param customLogger receives what is logged, without secrets @default the standard output, according to the settings
 * @throws {ConfigError} if any setting is invalid; contains all problems
 */
export function loadConfig(environment: Environment, customLogger?: CustomLogger): AdminConfig {
  const resolution = resolveSettings(SETTINGS, { environment });
  const { values } = resolution;
  const { tokens, problems: tokenProblems } = readConfiguredTokens(resolution);
  const openIdProblems = resolution.problems.length === 0 ? findOpenIdProblems(values) : [];
  const unknown = findUnknownVariables(PROGRAM, environment);
  const database = resolution.origins.has("databaseUrl") ? [] : unknown.filter(isAboutDatabase);
  const problems = [
    ...resolution.problems,
    ...database.map(explainUnreadDatabase),
    ...tokenProblems,
    ...openIdProblems,
    ...findAdminProblems(values),
    ...findFrontendProblems(values),
  ];
  const openFiles = { limit: readOpenFileLimit(), minReserved: MIN_RESERVED_FILES };
  const hints = [
    ...findUnusedStorage(resolution),
    ...findUnusedImport(resolution),
    ...findUnusedOpenId(resolution),
    ...findIgnoredTokens(environment),
    ...findUnreachableLimit(resolution, openFiles),
    ...unknown.filter((each) => !database.includes(each)).map(({ hint }) => hint),
  ];
  if (problems.length > 0) throw new ConfigError(problems, hints);

  const telemetry = toTelemetryConfig(values);
  const logTap = telemetry && new LogTap();
  const { logLevel: level, useJsonLogger: json } = values;
  const secrets = collectSecrets(SETTINGS, values);
  const logger =
    customLogger === undefined
      ? createLogger({ level, json, secrets, tap: logTap })
      : wrapLogger(customLogger, secrets);
  for (const warning of [...hints, ...findWeakTokens(resolution)]) logger.warn(warning);
  logger.debug("Configuration", showSettings(SETTINGS, values));
  return Object.freeze({
    ...values,
    maxConnections: values.maxConnections ?? defaultMaxConnections(LIMITS.streams, openFiles),
    openId: toOpenIdConfig(values),
    minFreeDiskBytes: values.minFreeDiskMb * BYTES_PER_MB,
    retention: Object.freeze({
      usageHours: values.usageRetentionHours,
      usageDays: values.usageRetentionDays,
      applicationDays: values.applicationRetentionDays,
      eventDays: values.eventRetentionDays,
    }),
    configuredTokens: tokens,
    configuredAdmin: toConfiguredAdmin(values),
    logger,
    logTap,
    telemetry,
  });
}

/** The setting that lists the tokens of each type. */
export const SETTING_BY_TYPE = {
  admin: SETTINGS.initAdminTokens,
  backend: SETTINGS.initClientTokens,
  frontend: SETTINGS.initFrontendTokens,
} as const satisfies Record<ConfiguredTokenType, unknown>;

/** Returns the tokens to create at startup, and a message for each invalid one. */
function readConfiguredTokens({ values, origins }: Resolution<Settings>): {
  readonly tokens: readonly ConfiguredToken[];
  readonly problems: readonly string[];
} {
  const { tokens, problems } = parseConfiguredTokens(
    {
      admin: values.initAdminTokens,
      backend: values.initClientTokens,
      frontend: values.initFrontendTokens,
    },
    isLoopbackHost(values.host),
  );
  const origin = {
    admin: origins.get("initAdminTokens"),
    backend: origins.get("initClientTokens"),
    frontend: origins.get("initFrontendTokens"),
  };
  return {
    tokens,
    problems: problems.map(
      ({ type, position, message }) =>
        `${origin[type] ?? nameSetting(SETTING_BY_TYPE[type])}: entry ${position} ${message}`,
    ),
  };
}

function toConfiguredAdmin({ initAdminUser: username, initAdminPassword: password }: Values) {
  return username === undefined || password === undefined ? undefined : { username, password };
}

function findAdminProblems({ initAdminUser, initAdminPassword }: Values): readonly string[] {
  if (initAdminUser === undefined && initAdminPassword === undefined) return [];
  if (initAdminUser === undefined) return ["INIT_ADMIN_USER is required with INIT_ADMIN_PASSWORD"];
  if (initAdminPassword === undefined) {
    return ["INIT_ADMIN_PASSWORD or INIT_ADMIN_PASSWORD_FILE is required with INIT_ADMIN_USER"];
  }
  const name = findUsernameProblem(initAdminUser);
  const password = findPasswordProblem(initAdminPassword, [initAdminUser]);
  return [
    ...(name === undefined ? [] : [`INIT_ADMIN_USER: the user name ${name}`]),
    ...(password === undefined ? [] : [`INIT_ADMIN_PASSWORD: the password ${password}`]),
  ];
}

/** NOTE: everyone who signs in sees this key. */
function findFrontendProblems(values: Values): readonly string[] {
  const secrets = [...values.initAdminTokens, ...values.initClientTokens];
  return values.frontendKey !== undefined && secrets.includes(values.frontendKey)
    ? ["FRONTEND_KEY must be public: a client key or a frontend token, not a token that is secret"]
    : [];
}

/** The two names of a setting can contain different tokens. */
function findIgnoredTokens(environment: Environment): readonly string[] {
  const [first = "", second = ""] = SETTINGS.initClientTokens.variables;
  const pairs = [
    [first, second],
    [fileVariableOf(first), fileVariableOf(second)],
  ] as const;
  return pairs
    .filter((pair) => pair.every((name) => (environment[name]?.trim() ?? "") !== ""))
    .map(([used, ignored]) => `${ignored} has no effect with ${used}: move its tokens there`);
}

function findUnusedStorage({ origins }: Resolution<Settings>): readonly string[] {
  if (!origins.has("databaseUrl")) return [];
  const embeddedOnly = [
    ["dataDir", "DATA_DIR"],
    ["minFreeDiskMb", "MIN_FREE_DISK_MB"],
  ] as const;
  return embeddedOnly
    .filter(([setting]) => origins.has(setting))
    .map(([, variable]) => `${variable} has no effect with DATABASE_URL`);
}

function findUnusedImport({ origins }: Resolution<Settings>): readonly string[] {
  if (origins.has("importFile")) return [];
  const others = [
    ["importProject", "IMPORT_PROJECT"],
    ["importEnvironment", "IMPORT_ENVIRONMENT"],
  ] as const;
  return others
    .filter(([setting]) => origins.has(setting))
    .map(([, variable]) => `${variable} has no effect without IMPORT_FILE`);
}

function isAboutDatabase({ name, hint }: UnknownVariable): boolean {
  return name.startsWith("DATABASE_") || hint.endsWith("did you mean DATABASE_URL?");
}

/** NOTE: an error, because the service would serve an empty database instead of the intended one. */
function explainUnreadDatabase({ name }: UnknownVariable): string {
  return `${name} is set but never read, and without DATABASE_URL the data would be in DATA_DIR: set DATABASE_URL, or remove ${name}`;
}

function findUnreachableLimit(
  { values, origins }: Resolution<Settings>,
  openFiles: OpenFiles,
): readonly string[] {
  const origin = origins.get("maxConnections");
  if (origin === undefined || values.maxConnections === undefined) return [];
  const hint = explainUnreachableLimit(origin, values.maxConnections, openFiles);
  return hint === undefined ? [] : [hint];
}

function findWeakTokens({ values, origins }: Resolution<Settings>): readonly string[] {
  const isLoopback = isLoopbackHost(values.host);
  return (["initAdminTokens", "initClientTokens", "initFrontendTokens"] as const).flatMap((name) =>
    findWeakSecrets(origins.get(name) ?? nameSetting(SETTINGS[name]), values[name], {
      // Shorter admin and client tokens are errors, unless only this machine can connect.
      minLength: name === "initFrontendTokens" ? MIN_PUBLIC_KEY_LENGTH : MIN_SECRET_LENGTH,
      isLoopback,
    }),
  );
}
