import {
  explainUnreachableLimit,
  nameSetting,
  type OpenFiles,
  type Resolution,
  shareStreams,
} from "flags-server-kit";
import type { Setting } from "flags-server-kit/command-line";
import type { FlagFile } from "../files/read-flag-file.ts";
import {
  findKeyProblems,
  findSplitEnvironments,
  findUnusedTokens,
  findWeakKeys,
} from "./check-keys.ts";
import {
  applyRules,
  isOfFiles,
  listContradictions,
  listIneffective,
  listMistakes,
  listRisks,
} from "./check-rules.ts";
import { SETTINGS, type SettingName, type Settings } from "./settings.ts";
import type { TranslationReport } from "./translation-report.ts";

/** Maximum number of streams to server SDKs, if the limit of connections allows that many. */
export const MAX_SDK_STREAMS = 10_000;

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
      ...applyRules(listContradictions(resolution), resolution),
    ],
    hints: [
      ...findSplitEnvironments(resolution),
      ...findUnusedTokens(resolution),
      ...applyRules([...listMistakes(resolution), ...listIneffective(resolution)], resolution),
    ],
    risks: [...findWeakKeys(resolution), ...applyRules(listRisks(resolution), resolution)],
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
    .filter(([name]) => name !== "flagsApiToken" || !isOfFiles(resolution.values))
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

/** @param maxConnections the effective limit, whether configured or not */
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
