import type { CustomStrategy } from "flags-engine";
import type { CustomLogger, Logger } from "flags-server-kit/neutral";
import {
  baseUrlKind,
  collectSecrets,
  ConfigError,
  findUnknownOptions,
  findWeakSecrets,
  InvalidValue,
  MIN_PUBLIC_KEY_LENGTH,
  nameSetting,
  resolveOptions,
  type Resolution,
  SettingGroup,
  type SettingKind,
  type ValuesOf,
  wrapLogger,
} from "flags-server-kit/settings";
import {
  describeInvalid,
  enricherKind,
  type ExtensionKind,
  keepFirstOfEachName,
  strategyKind,
} from "../config/extension-kinds.ts";
import { toCorsConfig } from "../config/group-settings.ts";
import type { HttpOptions, ProxyOptions } from "../config/options.ts";
import { createObjectKind } from "../config/proxy-setting-kinds.ts";
import { BASE_PATH_SETTING } from "../config/settings/base-path.ts";
import { CLIENTS_SETTINGS } from "../config/settings/clients.ts";
import { ENDPOINTS_SETTINGS } from "../config/settings/endpoints.ts";
import { EXTENSIONS_SETTINGS } from "../config/settings/extensions.ts";
import { LOGGING_SETTINGS } from "../config/settings/logging.ts";
import { REQUIRED_SETTINGS } from "../config/settings/required.ts";
import { UPSTREAM_SETTINGS } from "../config/settings/upstream.ts";
import { explainUnserved } from "../config/unserved-keys.ts";
import type { ContextEnricher } from "../core/context/enrichers.ts";
import { describeSources } from "../sources/describe-sources.ts";
import { findSource } from "../sources/token-scope.ts";
import { createConsoleLogger } from "./console-logger.ts";
import type { FlagCache } from "./flag-cache.ts";

/** The options of the proxy that mean the same here. */
type SharedOption =
  | "flagsUrl"
  | "flagsApiToken"
  | "clientKeys"
  | "proxyBasePath"
  | "flagsAppName"
  | "flagsInstanceId"
  | "projectName"
  | "namePrefix"
  | "tags"
  | "clientKeysHeaderName"
  | "environment"
  | "enableAllEndpoint"
  | "ageHeader"
  | "ofrepValues"
  | "cors"
  | "logLevel";

/** Options of `createFetchApp()`. The environment is not read. */
export interface FetchAppOptions extends Pick<ProxyOptions, SharedOption> {
  /**
   * Milliseconds after which flags in memory are refreshed, in the background of the next request. 0 loads them once.
   *
   * @default 15000
   */
  readonly refreshInterval?: number | undefined;
  /**
   * Milliseconds after which flags that the upstream has not confirmed are too old: requests then wait for a refresh, for up
   * to 5 s, and `/ready` returns 503 if it fails.
   *
   * @default any age
   */
  readonly maxStaleness?: number | undefined;
  /**
   * Minimum milliseconds between usage reports to the upstream. 0 disables them.
   *
   * @default 10000
   */
  readonly metricsInterval?: number | undefined;
  /** Requests to the upstream. */
  readonly httpOptions?: Pick<HttpOptions, "headers" | "timeout"> | undefined;
  /**
   * Keeps flags where other isolates find them: `cacheApi()`, `workersKv()`, `denoKv()` or your own.
   *
   * @default only in the memory of the isolate
   */
  readonly cache?: FlagCache | undefined;
  /** Custom activation strategies. @default empty list */
  readonly customStrategies?: readonly CustomStrategy[] | undefined;
  /** Functions that complete the context of each request. @default empty list */
  readonly expCustomEnrichers?: readonly ContextEnricher[] | undefined;
  /** Logger with the methods of `console`. @default `console` */
  readonly logger?: CustomLogger | undefined;
}

/** Unlike on Node, entries are never paths: there are no files. `readExtensions()` checks them. */
const listOf = (entries: string): SettingKind<readonly unknown[]> => ({
  allowed: `a list of ${entries}`,
  parse: (value) => (Array.isArray(value) ? value : new InvalidValue()),
});

const { flagsUrl, flagsApiToken, clientKeys } = REQUIRED_SETTINGS;
const { appName, instanceId, projectName, namePrefix, tags } = UPSTREAM_SETTINGS;
const { refreshIntervalMs, metricsIntervalMs, upstreamHeaders, upstreamTimeout } =
  UPSTREAM_SETTINGS;
const { enableAllEndpoint, maxStalenessMs, ageHeader, ofrepValues } = ENDPOINTS_SETTINGS;
const { corsAllowedHeaders, corsCredentials, corsExposedHeaders, corsMaxAgeSeconds } =
  ENDPOINTS_SETTINGS;
const { corsMethods, corsOptionsSuccessStatus, corsOrigin, corsPreflightContinue } =
  ENDPOINTS_SETTINGS;
const { clientKeysHeaderName, environment } = CLIENTS_SETTINGS;
const { logger, logLevel } = LOGGING_SETTINGS;
const { customStrategies, customEnrichers } = EXTENSIONS_SETTINGS;

/** The settings of the proxy that apply here, with other values where the runtime requires that. */
const SETTINGS = withoutVariables({
  flagsUrl: { ...flagsUrl, kind: baseUrlKind },
  flagsApiToken,
  clientKeys,
  ...BASE_PATH_SETTING,
  appName,
  instanceId,
  refreshIntervalMs: { ...refreshIntervalMs, default: 15_000 },
  metricsIntervalMs: { ...metricsIntervalMs, default: 10_000 },
  projectName,
  namePrefix,
  tags,
  upstreamHeaders,
  upstreamTimeout,
  clientKeysHeaderName,
  environment,
  enableAllEndpoint,
  maxStalenessMs,
  ageHeader,
  ofrepValues,
  corsAllowedHeaders,
  corsCredentials,
  corsExposedHeaders,
  corsMaxAgeSeconds,
  corsMethods,
  corsOptionsSuccessStatus,
  corsOrigin,
  corsPreflightContinue,
  logger,
  logLevel,
  customStrategies: { ...customStrategies, kind: listOf("strategies") },
  customEnrichers: { ...customEnrichers, kind: listOf("functions") },
  cache: new SettingGroup("Upstream").option("cache", [], {
    kind: createObjectKind<FlagCache>(["get", "put"]),
    description: "Keeps flags where other isolates find them.",
  }),
} as const);

type Table = typeof SETTINGS;
type Values = ValuesOf<Table>;

/** Messages name only the option: the environment is not read. */
function withoutVariables<Entries extends object>(table: Entries): Entries {
  const entries = Object.entries(table).map(([name, setting]: [string, object]) => [
    name,
    { ...setting, variables: [] },
  ]);
  return Object.fromEntries(entries) as Entries;
}

export type FetchConfig = ReturnType<typeof toConfig>;

/** @throws {ConfigError} with all problems, if there are any */
export function readFetchOptions(options: FetchAppOptions): FetchConfig {
  if (typeof options !== "object" || options === null) {
    throw new ConfigError(["Options must be an object"]);
  }
  const resolution = resolveOptions(SETTINGS, options);
  const { values, origins } = resolution;
  const strategies = readExtensions(resolution, "customStrategies", strategyKind);
  const enrichers = readExtensions(resolution, "customEnrichers", enricherKind);
  const { extensions, hints } = keepFirstOfEachName(
    strategies.extensions,
    origins.get("customStrategies") ?? "",
  );
  const problems = [
    ...resolution.problems,
    ...findMissing(resolution),
    ...findUnknownOptions(OPTION_NAMES, options),
    ...findUnservedKeys(values),
    ...strategies.problems,
    ...enrichers.problems,
  ];
  if (problems.length > 0) throw new ConfigError(problems, hints);
  const config = toConfig(values, extensions, enrichers.extensions);
  for (const warning of [...hints, ...findRisks(values)]) config.logger.warn(warning);
  return config;
}

function toConfig(
  values: Values,
  strategies: readonly CustomStrategy[],
  contextEnrichers: readonly ContextEnricher[],
) {
  const { projectName, namePrefix, tags } = values;
  return {
    ...values,
    upstreamUrl: values.flagsUrl ?? "",
    upstreamTokens: values.flagsApiToken ?? [],
    upstreamTimeoutMs: values.upstreamTimeout,
    clientKeys: values.clientKeys ?? [],
    filters: { projectName, namePrefix, tags },
    cors: toCorsConfig(values),
    explainEnabled: false,
    ofrepEventStreams: false,
    strategies,
    contextEnrichers,
    logger: chooseLogger(values),
  };
}

function chooseLogger(values: Values): Logger {
  const secrets = collectSecrets(SETTINGS, values);
  return values.logger === undefined
    ? createConsoleLogger(values.logLevel, secrets)
    : wrapLogger(values.logger, secrets);
}

function readExtensions<T>(
  { values, origins }: Resolution<Table>,
  setting: "customStrategies" | "customEnrichers",
  kind: ExtensionKind<T>,
) {
  const entries: readonly unknown[] = values[setting];
  const extensions = entries.filter((entry) => kind.isExtension(entry));
  const problems = entries.flatMap((entry, index) =>
    kind.isExtension(entry)
      ? []
      : [describeInvalid(entry, `${origins.get(setting)}: entry ${index + 1}`, kind)],
  );
  return { extensions, problems };
}

function findMissing({ origins }: Resolution<Table>): readonly string[] {
  return (["flagsUrl", "flagsApiToken", "clientKeys"] as const)
    .filter((name) => !origins.has(name))
    .map((name) => `Option ${name} is required`);
}

const OPTION_NAMES = {
  settings: SETTINGS,
  variablePrefixes: [],
  renamedPrefixes: [{ from: "unleash", to: "flags" }],
};

/** NOTE: a key must never give access to the flags of another environment. */
function findUnservedKeys(values: Values): readonly string[] {
  const sources = describeSources({ upstreamTokens: values.flagsApiToken ?? [] });
  if (sources.length === 0) return [];
  const owner = { setting: "option flagsApiToken", entry: "token" };
  return (values.clientKeys ?? []).flatMap((key, index) =>
    findSource(key, sources) === undefined
      ? [`Entry ${index + 1} of option clientKeys ${explainUnserved(key, sources, owner)}`]
      : [],
  );
}

function findRisks({ flagsApiToken = [], clientKeys = [] }: Values): readonly string[] {
  const rules = { minLength: MIN_PUBLIC_KEY_LENGTH, isLoopback: false };
  return [
    ...findWeakSecrets(nameSetting(SETTINGS.flagsApiToken), flagsApiToken, rules),
    ...findWeakSecrets(nameSetting(SETTINGS.clientKeys), clientKeys, rules),
    ...(flagsApiToken.some((token) => clientKeys.includes(token))
      ? [
          "Option clientKeys contains an upstream token: every client can read all definitions with it. Use different keys",
        ]
      : []),
  ];
}
