import {
  explainUnreachableLimit,
  nameSetting,
  type OpenFiles,
  type Resolution,
  type Setting,
  shareStreams,
} from "flags-server-kit";
import type { FlagFile } from "../files/read-flag-file.ts";
import { findKeyHints, findKeyProblems, findWeakKeys } from "./check-keys.ts";
import {
  findNetworkProblems,
  findNetworkRisks,
  findIneffectiveNetworkSettings,
} from "./check-network.ts";
import { MAX_SDK_STREAMS } from "./config.ts";
import { findStoreProblems, findIneffectiveStoreSettings } from "./check-store.ts";
import { SETTINGS, type SettingName, type Settings } from "./settings.ts";
import type { TranslationReport } from "./translation-report.ts";

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
  /** Other names of variables, for messages. @default none */
  readonly otherNames?: TranslationReport["otherNames"];
  /** Whether keys of clients are required. @default true */
  readonly needsKeys?: boolean | undefined;
}

/** Checks rules that involve more than one setting. Each setting has already been checked on its own. */
export function checkSettings(
  resolution: Resolution<Settings>,
  files: readonly FlagFile[] | undefined,
  { otherNames = new Map(), needsKeys = true }: CheckOptions = {},
): SettingsCheck {
  return {
    problems: [
      ...findMissing(resolution, otherNames, needsKeys),
      ...findKeyProblems(resolution, files),
      ...findAmbiguousBootstrap(resolution),
      ...findImpossibleWithFiles(resolution, files),
      ...findStoreProblems(resolution),
      ...findNetworkProblems(resolution),
    ],
    hints: [
      ...findKeyHints(resolution),
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
  otherNames: TranslationReport["otherNames"],
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
    .map(([, setting]) => {
      const names = setting.variables.flatMap((variable) => otherNames.get(variable) ?? []);
      return `${[...names, nameSetting(setting)].join(" or ")} is required: ${toClause(setting.description)}`;
    });
}

function toClause(sentence: string): string {
  return `${sentence.charAt(0).toLowerCase()}${sentence.slice(1).replace(/\.$/, "")}`;
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

function findIneffectiveKeySettings({ values, origins }: Resolution<Settings>): readonly string[] {
  if (values.upstreamKeys) return [];
  return (["upstreamKeysInterval", "upstreamKeysMaxAge"] as const).flatMap((name) => {
    const origin = origins.get(name);
    return origin === undefined
      ? []
      : [`${origin} has no effect without ${nameSetting(SETTINGS.upstreamKeys)}`];
  });
}

function findIneffective({ values, origins }: Resolution<Settings>): readonly string[] {
  const hints: string[] = [];
  const headers = origins.get("bootstrapAuthorization") ?? origins.get("bootstrapHeaders");
  if (headers !== undefined && !origins.has("bootstrapUrl")) {
    hints.push(`${headers} has no effect without ${nameSetting(SETTINGS.bootstrapUrl)}`);
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
  hints.push(...findShortStaleness({ values, origins }));
  return hints;
}

/** An upstream may confirm the flags of a stream only this often. */
const STREAM_CONFIRMATION_MS = 30_000;

/** The polls from the last confirmed flags until a document without flags is confirmed. */
const HELD_BACK_POLLS = 4;

/** Finds a maximum age that makes the proxy unready although the upstream works. */
function findShortStaleness({
  values,
  origins,
}: Pick<Resolution<Settings>, "values" | "origins">): readonly string[] {
  const { maxStalenessMs, refreshIntervalMs, synchronization } = values;
  if (maxStalenessMs === undefined || isOfFiles({ values })) return [];
  const name = origins.get("maxStalenessMs");
  if (synchronization === "streaming") {
    if (maxStalenessMs >= STREAM_CONFIRMATION_MS) return [];
    return [
      `${name} is shorter than ${STREAM_CONFIRMATION_MS}: an upstream may confirm the flags of a stream only every 30 seconds, and the proxy is not ready in between`,
    ];
  }
  if (refreshIntervalMs === 0) {
    return [
      `${origins.get("refreshIntervalMs")} is 0, so flags are never confirmed again: when ${name} has passed, the proxy is no longer ready`,
    ];
  }
  const interval = nameSetting(SETTINGS.refreshIntervalMs);
  if (maxStalenessMs <= refreshIntervalMs) {
    return [`${name} must be longer than ${interval}, or the proxy is not ready between polls`];
  }
  if (maxStalenessMs > HELD_BACK_POLLS * refreshIntervalMs) return [];
  return [
    `${name} is not longer than ${HELD_BACK_POLLS} times ${interval}: while a document without flags waits for its confirmation, the proxy is not ready`,
  ];
}

function findIneffectiveSpoolSettings({
  values,
  origins,
}: Resolution<Settings>): readonly string[] {
  const spool = origins.get("usageSpool");
  const limit = origins.get("usageSpoolMaxBytes");
  if (spool !== undefined && values.metricsIntervalMs === 0) {
    return [`${spool} has no effect: ${nameSetting(SETTINGS.metricsIntervalMs)} is 0`];
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
  const [maxStreams] = shareStreams(maxConnections, values.pushMaxStreams, MAX_SDK_STREAMS);
  if (streamsOrigin !== undefined && maxStreams < values.pushMaxStreams) {
    hints.push(
      `${streamsOrigin} is ${values.pushMaxStreams}, but at most ${maxStreams} of ${maxConnections} connections can be streams to clients: raise ${nameSetting(SETTINGS.maxConnections)}, and the limit of open files (ulimit -n) if necessary`,
    );
  }
  return hints;
}
