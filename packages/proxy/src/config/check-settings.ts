import { isDeepStrictEqual } from "node:util";
import {
  explainUnreachableLimit,
  findWeakSecrets,
  isLoopbackHost,
  MIN_PUBLIC_KEY_LENGTH,
  MIN_SECRET_LENGTH,
  nameSetting,
  type OpenFiles,
  type Resolution,
  type Setting,
  streamsWithin,
} from "flags-server-kit";
import type { FlagFile } from "../files/read-flag-file.ts";
import { findSource, parseTokenScope, scopesOf } from "../token-scope.ts";
import type { Product } from "./aliases/alias.ts";
import { nameMissing } from "./aliases/describe-translation.ts";
import {
  findNetworkProblems,
  findNetworkRisks,
  findIneffectiveNetworkSettings,
} from "./check-network.ts";
import { findStoreProblems, findIneffectiveStoreSettings } from "./check-store.ts";
import { SETTINGS, type SettingName, type Settings } from "./settings.ts";

/** Results of checking combinations of settings, each as a sentence. */
interface SettingsCheck {
  /** Reasons not to start. */
  readonly problems: readonly string[];
  /** Probable mistakes. They are logged at startup and accompany problems. */
  readonly hints: readonly string[];
  /** Security risks. They explain no problem, so they are only logged at startup. */
  readonly risks: readonly string[];
}

interface CheckOptions {
  /** The products whose setting names are in use. @default none */
  readonly products?: readonly Product[];
  /** Whether keys of clients are required. @default true */
  readonly needsKeys?: boolean | undefined;
}

/** Checks rules that involve more than one setting. Each setting has already been checked on its own. */
export function checkSettings(
  resolution: Resolution<Settings>,
  files: readonly FlagFile[] | undefined,
  { products = [], needsKeys = true }: CheckOptions = {},
): SettingsCheck {
  return {
    problems: [
      ...findMissing(resolution, products, needsKeys),
      ...findUnservedKeys(resolution, files),
      ...findTokensWithoutEnvironment(resolution),
      ...findAmbiguousBootstrap(resolution),
      ...findImpossibleWithFiles(resolution, files),
      ...findStoreProblems(resolution),
      ...findNetworkProblems(resolution),
    ],
    hints: [
      ...findDeprecated(resolution),
      ...findSharedKeys(resolution),
      ...findSplitEnvironments(resolution),
      ...findUnusedTokens(resolution),
      ...findIneffective(resolution),
      ...findIneffectiveForFiles(resolution, files),
      ...findIneffectiveKeySettings(resolution),
      ...findIneffectiveSpoolSettings(resolution),
      ...findIneffectiveNetworkSettings(resolution),
      ...findIneffectiveStoreSettings(resolution),
    ],
    risks: [...findWeakKeys(resolution), ...findNetworkRisks(resolution)],
  };
}

function findMissing(
  resolution: Resolution<Settings>,
  products: readonly Product[],
  needsKeys: boolean,
): readonly string[] {
  const { origins, values } = resolution;
  return (Object.entries(SETTINGS) as [SettingName, Setting<unknown>][])
    .filter(([name, { required }]) => required === true && !origins.has(name))
    .filter(([name]) => name !== "flagsApiToken" || !isOfFiles(resolution))
    .filter(
      ([name]) =>
        name !== "clientKeys" ||
        (needsKeys &&
          !origins.has("proxySecrets") &&
          !origins.has("accessFile") &&
          !values.upstreamKeys),
    )
    .map(
      ([, setting]) =>
        `${nameMissing(setting, products)} is required: ${toClause(setting.description)}`,
    );
}

function toClause(sentence: string): string {
  return `${sentence.charAt(0).toLowerCase()}${sentence.slice(1).replace(/\.$/, "")}`;
}

/** NOTE: a key must never give access to the flags of another environment. */
function findUnservedKeys(
  { values, origins }: Resolution<Settings>,
  files: readonly FlagFile[] | undefined,
): readonly string[] {
  const sources = scopesOf({ upstreamTokens: values.flagsApiToken ?? [], files });
  if (sources.length === 0) return [];
  const owner =
    files === undefined
      ? { setting: nameSetting(SETTINGS.flagsApiToken), entry: "token" }
      : { setting: nameSetting(SETTINGS.flagsUrl), entry: "file" };
  const served = [...new Set(sources.map(({ scope }) => scope?.environment ?? "unknown"))];
  const names = ["clientKeys", "proxySecrets", "serverTokens"] as const;
  return names
    .filter((name) => name !== "proxySecrets" || values.clientKeys === undefined)
    .flatMap((name) =>
      (values[name] ?? []).flatMap((key, index) => {
        if (findSource(key, sources) !== undefined) return [];
        const subject = `Entry ${index + 1} of ${origins.get(name)}`;
        return [`${subject} ${explainUnserved(key, served, owner)}`];
      }),
    );
}

/** The setting that determines the environments. */
interface Owner {
  readonly setting: string;
  /** What it names for each environment. */
  readonly entry: string;
}

function explainUnserved(key: string, served: readonly string[], owner: Owner): string {
  const environment = parseTokenScope(key)?.environment;
  if (environment === undefined) {
    const [cause, fields] =
      served.length > 1
        ? [`several (${served.join(", ")})`, "an `environment`"]
        : [`several tokens for ${served.join()}`, "an `environment` and `projects`"];
    return `does not name an environment, but ${owner.setting} has ${cause}: use keys of the form project:environment.secret, or move this key to ${nameSetting(SETTINGS.accessFile)}, where it can have ${fields}`;
  }
  return served.includes(environment)
    ? `does not say which of the tokens for ${environment} it belongs to: it must name the project of one of them`
    : `is a key for the environment ${environment}, but ${owner.setting} serves only ${served.join(", ")}: add a ${owner.entry} for ${environment}, or remove the key`;
}

/** NOTE: without the environment of a source, a key of another environment would get its flags. */
function findTokensWithoutEnvironment({
  values,
  origins,
}: Resolution<Settings>): readonly string[] {
  if (!values.upstreamKeys) return [];
  const setting = origins.get("upstreamKeys") ?? nameSetting(SETTINGS.upstreamKeys);
  return (values.flagsApiToken ?? []).flatMap((token, index) =>
    parseTokenScope(token) === undefined
      ? [
          `Entry ${index + 1} of ${origins.get("flagsApiToken")} does not name its environment, which ${setting} requires: use a token of the form project:environment.secret`,
        ]
      : [],
  );
}

/** Finds environments in which no source serves a key for several projects. */
export function findSplitEnvironments({
  values,
  origins,
}: Pick<Resolution<Settings>, "values" | "origins">): readonly string[] {
  if (!values.upstreamKeys) return [];
  const scopes = (values.flagsApiToken ?? []).map((token) => parseTokenScope(token));
  const environments = new Set(scopes.flatMap((scope) => scope?.environment ?? []));
  return [...environments].flatMap((environment) => {
    const projects = scopes.flatMap((scope) =>
      scope?.environment === environment ? [scope.project] : [],
    );
    return projects.length < 2 || projects.includes("*")
      ? []
      : [
          `${origins.get("flagsApiToken")} has several tokens for the environment ${environment}, but none for all projects (*): keys for several projects are rejected. Add a token for all projects`,
        ];
  });
}

/** Finds tokens whose source gets no keys, since that of an earlier token gets them: see `findSource()`. */
function findUnusedTokens({ values, origins }: Resolution<Settings>): readonly string[] {
  const scopes = (values.flagsApiToken ?? []).map((token) => parseTokenScope(token));
  return scopes.flatMap((scope, index) => {
    const first = scopes.findIndex((other) => isDeepStrictEqual(other, scope));
    return scope === undefined || first === index
      ? []
      : [
          `Entry ${index + 1} of ${origins.get("flagsApiToken")} serves no key, because entry ${first + 1} is for the same environment and project: remove one of them`,
        ];
  });
}

function findAmbiguousBootstrap({ values, origins }: Resolution<Settings>): readonly string[] {
  const origin = origins.get("bootstrapUrl");
  if (origin === undefined || (values.flagsApiToken ?? []).length < 2) return [];
  return [
    `${origin} gives the flags of one environment, but ${nameSetting(SETTINGS.flagsApiToken)} has several tokens: use one proxy per environment, or no bootstrap`,
  ];
}

function isOfFiles({ values }: Pick<Resolution<Settings>, "values">): boolean {
  return /^file:/i.test(values.flagsUrl ?? "");
}

/** NOTE: a filter that had no effect would reveal flags that should be hidden. */
function findImpossibleWithFiles(
  { values, origins }: Resolution<Settings>,
  files: readonly FlagFile[] | undefined,
): readonly string[] {
  if (files === undefined) return [];
  const tags = origins.get("tags");
  const keys = values.upstreamKeys ? origins.get("upstreamKeys") : undefined;
  return [
    ...(tags === undefined
      ? []
      : [`${tags} is not possible with files, which do not contain tags: remove it`]),
    ...(keys === undefined
      ? []
      : [`${keys} is not possible with files: there is no upstream that could verify keys`]),
  ];
}

/** Settings of the connection to an upstream. */
const UPSTREAM_ONLY = [
  "flagsApiToken",
  "synchronization",
  "bootstrapUrl",
  "storageProvider",
  "store",
  "usageSpool",
] as const;

function findIneffectiveForFiles(
  { origins }: Resolution<Settings>,
  files: readonly FlagFile[] | undefined,
): readonly string[] {
  if (files === undefined) return [];
  return UPSTREAM_ONLY.flatMap((name) => {
    const origin = origins.get(name);
    return origin === undefined
      ? []
      : [`${origin} has no effect with files as ${nameSetting(SETTINGS.flagsUrl)}`];
  });
}

function findDeprecated(resolution: Resolution<Settings>): readonly string[] {
  const origin = resolution.origins.get("proxySecrets");
  if (origin === undefined) return [];
  return resolution.origins.has("clientKeys")
    ? findIgnoredKeys(resolution)
    : [`${origin} is deprecated and still read: use ${nameSetting(SETTINGS.clientKeys)}`];
}

/** Says that the deprecated list of keys has no effect, if both lists are set. */
export function findIgnoredKeys({ origins }: Resolution<Settings>): readonly string[] {
  const origin = origins.get("proxySecrets");
  const replacement = origins.get("clientKeys");
  if (origin === undefined || replacement === undefined) return [];
  return [`${origin} is deprecated and ignored, as ${replacement} is set: remove it`];
}

function findSharedKeys({ values, origins }: Resolution<Settings>): readonly string[] {
  const keys = values.clientKeys ?? values.proxySecrets ?? [];
  const hints: string[] = [];
  if (values.serverTokens.some((token) => keys.includes(token))) {
    const origin = origins.get("serverTokens");
    hints.push(
      `${origin} contains a client key: everyone who has that key can read all definitions. Use different tokens`,
    );
  }
  if (values.flagsApiToken?.some((token) => keys.includes(token)) === true) {
    hints.push(
      `${origins.get("clientKeys") ?? origins.get("proxySecrets")} contains the upstream token of ${origins.get("flagsApiToken")}: every client can read all definitions with it. Use different keys`,
    );
  }
  return hints;
}

/** NOTE: operators may not be able to choose the upstream token, so its limit is the lower one. */
const MIN_LENGTHS = {
  flagsApiToken: MIN_PUBLIC_KEY_LENGTH,
  clientKeys: MIN_PUBLIC_KEY_LENGTH,
  proxySecrets: MIN_PUBLIC_KEY_LENGTH,
  serverTokens: MIN_SECRET_LENGTH,
  pushSecret: MIN_SECRET_LENGTH,
} as const satisfies Partial<Record<SettingName, number>>;

/** Weak secrets are not problems: secrets that Unleash Proxy accepted must continue to work. */
function findWeakKeys({ values, origins }: Resolution<Settings>): readonly string[] {
  const isLoopback = isLoopbackHost(values.host);
  // Edge has one list for both, unless it is in offline mode.
  const areServerTokens = origins.get("serverTokens") === origins.get("flagsApiToken");
  const names = (Object.keys(MIN_LENGTHS) as (keyof typeof MIN_LENGTHS)[]).filter(
    (name) =>
      (name !== "proxySecrets" || values.clientKeys === undefined) &&
      (name !== "serverTokens" || !areServerTokens),
  );
  const [token, ...furtherTokens] = values.flagsApiToken ?? [];
  const secrets = furtherTokens.length === 0 ? { ...values, flagsApiToken: token } : values;
  const warnings = names.flatMap((name) =>
    findWeakSecrets(origins.get(name) ?? nameSetting(SETTINGS[name]), secrets[name] ?? [], {
      minLength: MIN_LENGTHS[name],
      isLoopback,
    }),
  );
  // Tokens of Edge's offline mode are client keys as well as server tokens.
  return [...new Set(warnings)];
}

function findIneffectiveKeySettings({ values, origins }: Resolution<Settings>): readonly string[] {
  const interval = origins.get("upstreamKeysInterval");
  if (interval === undefined || values.upstreamKeys) return [];
  return [`${interval} has no effect without ${nameSetting(SETTINGS.upstreamKeys)}`];
}

function findIneffective({ values, origins }: Resolution<Settings>): readonly string[] {
  const hints: string[] = [];
  const headers = origins.get("bootstrapAuthorization") ?? origins.get("bootstrapHeaders");
  if (headers !== undefined && !origins.has("bootstrapUrl")) {
    hints.push(`${headers} has no effect without ${nameSetting(SETTINGS.bootstrapUrl)}`);
  }
  const { maxStaleness, refreshInterval, synchronization } = values;
  if (maxStaleness !== undefined && synchronization !== "streaming" && !isOfFiles({ values })) {
    if (refreshInterval === 0) {
      hints.push(
        `${origins.get("refreshInterval")} is 0, so flags are never confirmed again: when ${origins.get("maxStaleness")} has passed, the proxy is no longer ready`,
      );
    } else if (maxStaleness <= refreshInterval) {
      hints.push(
        `${origins.get("maxStaleness")} must be longer than ${nameSetting(SETTINGS.refreshInterval)}, or the proxy is not ready between polls`,
      );
    }
  }
  const eventStreams = origins.get("ofrepEventStreams");
  if (eventStreams !== undefined && values.ofrepEventStreams && values.pushMaxStreams === 0) {
    hints.push(`${eventStreams} has no effect: ${nameSetting(SETTINGS.pushMaxStreams)} is 0`);
  }
  const credentials = origins.get("corsCredentials");
  if (credentials !== undefined && values.corsCredentials && values.corsOrigin === "*") {
    hints.push(
      `${credentials} has no effect without ${nameSetting(SETTINGS.corsOrigin)}: browsers send no credentials to servers that allow every origin`,
    );
  }
  return hints;
}

function findIneffectiveSpoolSettings({
  values,
  origins,
}: Resolution<Settings>): readonly string[] {
  const spool = origins.get("usageSpool");
  const limit = origins.get("usageSpoolMaxBytes");
  if (spool !== undefined && values.metricsInterval === 0) {
    return [`${spool} has no effect: ${nameSetting(SETTINGS.metricsInterval)} is 0`];
  }
  if (limit === undefined || spool !== undefined) return [];
  return [`${limit} has no effect without ${nameSetting(SETTINGS.usageSpool)}`];
}

/**
 * Finds configured limits of connections and streams that cannot be reached.
 *
 * @param maxConnections the effective limit, whether configured or not
 */
export function findUnreachableLimits(
  { values, origins }: Resolution<Settings>,
  maxConnections: number,
  openFiles: OpenFiles,
): readonly string[] {
  const hints: string[] = [];
  const origin = origins.get("maxConnections");
  const warning = origin && explainUnreachableLimit(origin, maxConnections, openFiles);
  if (warning !== undefined) hints.push(warning);
  const streamsOrigin = origins.get("pushMaxStreams");
  const maxStreams = streamsWithin(maxConnections, values.pushMaxStreams);
  if (streamsOrigin !== undefined && maxStreams < values.pushMaxStreams) {
    hints.push(
      `${streamsOrigin} is ${values.pushMaxStreams}, but at most ${maxStreams} of ${maxConnections} connections can be streams: raise ${nameSetting(SETTINGS.maxConnections)}, and the limit of open files (ulimit -n) if necessary`,
    );
  }
  return hints;
}
