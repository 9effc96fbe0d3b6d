import {
  explainUnreachableLimit,
  nameSetting,
  type OpenFiles,
  type Resolution,
  shareStreams,
} from "flags-server-kit";
import type { Setting } from "flags-server-kit/command-line";
import type { FlagFile } from "../files/read-flag-file.ts";
import { findContradictions } from "./check-contradictions.ts";
import { findIneffective } from "./check-ineffective.ts";
import { findKeyHints, findKeyProblems, findWeakKeys } from "./check-keys.ts";
import { MAX_SDK_STREAMS } from "./config.ts";
import { SETTINGS, type SettingName, type Settings } from "./settings.ts";
import type { TranslationReport } from "./translation-report.ts";

/** What checks of a configuration have found so far, each as a sentence. */
export interface Findings {
  /** Reasons not to start. */
  readonly problems: string[];
  /** Probable mistakes. They are logged at startup and accompany problems. */
  readonly hints: string[];
  /** Risks. They explain no problem, so they are only logged at startup. */
  readonly risks: string[];
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
): Findings {
  return {
    problems: [
      ...findMissing(resolution, otherNames, needsKeys),
      ...findKeyProblems(resolution, files),
      ...findContradictions(resolution, files),
    ],
    hints: [
      ...findKeyHints(resolution),
      ...findShortStaleness(resolution),
      ...findIneffective(resolution, files),
    ],
    risks: [
      ...findWeakKeys(resolution),
      ...findOpenLists(resolution),
      ...findUnverifiedUpstream(resolution),
    ],
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

function isOfFiles({ values }: Resolution<Settings>): boolean {
  return /^file:/i.test(values.flagsUrl ?? "");
}

/** An upstream may confirm the flags of a stream only this often. */
const STREAM_CONFIRMATION_MS = 30_000;

/** The polls from the last confirmed flags until a document without flags is confirmed. */
const HELD_BACK_POLLS = 4;

/** Finds a maximum age that makes the proxy unready although the upstream works. */
function findShortStaleness(resolution: Resolution<Settings>): readonly string[] {
  const { values, origins } = resolution;
  const { maxStalenessMs, refreshIntervalMs, synchronization } = values;
  if (maxStalenessMs === undefined || isOfFiles(resolution)) return [];
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

function findUnverifiedUpstream({ values, origins }: Resolution<Settings>): readonly string[] {
  if (values.rejectUnauthorized || !/^https:/i.test(values.flagsUrl ?? "")) return [];
  return [
    `${origins.get("rejectUnauthorized")} accepts any certificate from the upstream: others on the network can read ${nameSetting(SETTINGS.flagsApiToken)} and change flags. To trust a private certificate authority, set ${nameSetting(SETTINGS.upstreamCaFile)} instead`,
  ];
}

function findOpenLists({ values, origins }: Resolution<Settings>): readonly string[] {
  const list = origins.get("allowList") ?? origins.get("denyList");
  if (list === undefined || values.trustProxy !== true) return [];
  return [
    `${list} gives no protection while ${origins.get("trustProxy")} is true: a client can claim any address. Set it to the addresses of your load balancers`,
  ];
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
