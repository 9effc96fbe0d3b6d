import { join, resolve } from "node:path";
import {
  collectSecrets,
  ConfigError,
  createLogger,
  defaultMaxConnections,
  type Environment,
  findUnknownOptions,
  findUnknownVariables,
  isLoopbackHost,
  isRecord,
  type Logger,
  LogTap,
  nameSetting,
  readOpenFileLimit,
  type Resolution,
  resolveSettings,
  showSettings,
  toTelemetryConfig,
  wrapLogger,
  variablesOf,
} from "flags-server-kit";
import { loadEnrichers, loadStrategies } from "../extensions.ts";
import { assembleConfig, type LoadedConfig } from "./assemble-config.ts";
import { checkSettings, findUnreachableLimits } from "./check-settings.ts";
import type { FlagFile } from "../files/read-flag-file.ts";
import { scopesOf } from "../token-scope.ts";
import { type FlagFiles, listFlagFiles, WORKER_FILES } from "./flag-files.ts";
import { loadNetwork } from "./load-network.ts";
import type { ProxyOptions } from "./options.ts";
import { PROGRAM } from "./program.ts";
import { findUnlimitedKeys } from "./project-keys.ts";
import { SETTINGS, type Settings, type Values } from "./settings.ts";
import { NOT_TRANSLATED, type TranslationReport } from "./translation-report.ts";

/** Identifies the worker process that loads its configuration. */
interface WorkerIdentity {
  readonly id: number;
}

/** What a configuration is loaded for. */
export interface Purpose {
  /**
   * Set in a worker process: its id is part of every log line, and warnings about the configuration,
   * which the primary process has logged, are omitted.
   */
  readonly worker?: WorkerIdentity;
  /** Whether keys of clients are required. False for a command that only reads flags. @default true */
  readonly needsKeys?: boolean;
  /** @default all settings have our names */
  readonly report?: TranslationReport;
}

/**
 * Reads options and environment, loads extensions, and checks everything.
 *
 * @throws {ConfigError} with all problems, if there are any
 */
export async function loadConfig(
  options: ProxyOptions,
  environment: Environment,
  { worker, needsKeys, report = NOT_TRANSLATED }: Purpose = {},
): Promise<LoadedConfig> {
  if (!isRecord(options)) throw new ConfigError(["Options must be an object"]);
  const { origins, otherNames, limitsKeysToProject } = report;
  const resolution = resolveSettings(SETTINGS, { options, environment, origins });
  const { values } = resolution;
  const listed = listFlagFiles(values.flagsUrl ?? "", worker && environment[WORKER_FILES]);
  const files = listed?.files;
  const check = checkSettings(resolution, files, { otherNames, needsKeys });
  const openFiles = { limit: readOpenFileLimit() };
  const maxConnections =
    values.maxConnections ?? defaultMaxConnections(values.pushMaxStreams, openFiles);
  const { network, ...networkFiles } = loadNetwork(resolution, Date.now());
  const [strategies, enrichers] = await loadExtensions(resolution);
  const access = await checkAccess(values, files);
  const disk = worker === undefined ? await checkDisk(resolution, listed) : NOTHING_FOUND;
  const names = { ...PROGRAM, ...report.formerNames };
  const problems = [
    ...check.problems,
    ...report.problems,
    ...resolution.problems,
    ...access.problems,
    ...disk.problems,
    ...networkFiles.problems,
    ...findUnknownOptions(names, options),
    ...strategies.problems,
    ...enrichers.problems,
  ];
  const hints = [
    ...check.hints,
    ...findUnreachableLimits(resolution, maxConnections, openFiles),
    ...strategies.hints,
    ...disk.hints,
    ...report.hints,
    ...(limitsKeysToProject ? findUnlimitedKeys(values, resolution.origins) : []),
    ...findUnknownVariables(names, environment).map(({ hint }) => hint),
    ...findQuotedValues(environment, origins),
  ];
  if (problems.length > 0) throw new ConfigError(problems, hints);

  const logTap = toTelemetryConfig(values) === undefined ? undefined : new LogTap();
  const logger = chooseLogger(values, { worker, logTap });
  const config = assembleConfig(values, {
    logger,
    logTap,
    origins: resolution.origins,
    maxConnections,
    customStrategies: strategies.extensions,
    contextEnrichers: enrichers.extensions,
    network,
    storeAuthorities: networkFiles.storeAuthorities,
    files,
    limitsKeysToProject,
  });
  if (worker !== undefined) return config;
  for (const line of report.information) logger.info(line);
  for (const warning of [
    ...report.warnings,
    ...hints,
    ...check.risks,
    ...access.risks,
    ...networkFiles.risks,
  ])
    logger.warn(warning);
  logger.debug("Configuration", showSettings(SETTINGS, values));
  return config;
}

function loadExtensions({ values, origins }: Resolution<Settings>) {
  return Promise.all([
    loadStrategies(values.customStrategies, origins.get("customStrategies") ?? ""),
    loadEnrichers(values.customEnrichers, origins.get("customEnrichers") ?? ""),
  ]);
}

/** Checks the access file against the settings. */
async function checkAccess(values: Values, files: readonly FlagFile[] | undefined) {
  if (values.accessFile === undefined) return { problems: [], risks: [] };
  // NOTE: loaded only if there is a file, since compiling its schema would slow down every start.
  const { checkAccessFile } = await import("../access/check-access-file.ts");
  const { flagsApiToken = [], clientKeys = values.proxySecrets ?? [], serverTokens } = values;
  const { problems, risks } = await checkAccessFile(values.accessFile, {
    sources: scopesOf({ upstreamTokens: flagsApiToken, files }),
    keys: [...clientKeys, ...serverTokens],
    isLoopback: isLoopbackHost(values.host),
    nowMs: Date.now(),
  });
  const located = problems.map((problem) => `${values.accessFile}: ${problem}`);
  return { problems: located.map(aboutAccessFile), risks: risks.map(aboutAccessFile) };
}

function aboutAccessFile(text: string): string {
  return `${nameSetting(SETTINGS.accessFile)}: ${text}`;
}

/** Checks the files and directories that workers do not open: those with flags, or the spool of usage. */
async function checkDisk(
  { values, origins }: Resolution<Settings>,
  listed: FlagFiles | undefined,
): Promise<DiskCheck> {
  if (listed === undefined) return checkSpool(values);
  const problems = await findFileProblems(listed);
  return { problems: problems.map((each) => `${origins.get("flagsUrl")}: ${each}`), hints: [] };
}

/** Reads the files with flags, so that a start with an unusable one fails. */
async function findFileProblems(listed: FlagFiles): Promise<readonly string[]> {
  const { checkFlagFiles } = await import("../files/read-flag-file.ts");
  return [...listed.problems, ...(await checkFlagFiles(listed.files))];
}

/** What is wrong with files and directories, and what to know about them. */
interface DiskCheck {
  readonly problems: readonly string[];
  readonly hints: readonly string[];
}

const NOTHING_FOUND: DiskCheck = { problems: [], hints: [] };

/** Checks the directory of the usage spool, and creates it. */
async function checkSpool({ usageSpool, flagsApiToken = [] }: Values): Promise<DiskCheck> {
  if (usageSpool === undefined) return NOTHING_FOUND;
  const { findSpoolProblem, findUnservedUsage } = await import("./check-usage-spool.ts");
  const name = nameSetting(SETTINGS.usageSpool);
  const directory = resolve(usageSpool);
  const problem = await findSpoolProblem(directory);
  if (problem !== undefined) return { problems: [`${name} ${problem}`], hints: [] };
  const unserved = await findUnservedUsage(directory, flagsApiToken);
  const hints = unserved.map(
    (source) =>
      `${join(directory, source)} contains usage for which no upstream token is configured any more: it stays there until one is configured again, or you delete it`,
  );
  return { problems: [], hints };
}

interface LoggerOptions {
  readonly worker: WorkerIdentity | undefined;
  readonly logTap: LogTap | undefined;
}

function chooseLogger(values: Values, { worker, logTap }: LoggerOptions): Logger {
  const secrets = collectSecrets(SETTINGS, values);
  if (values.logger !== undefined) return wrapLogger(values.logger, secrets);
  return createLogger({
    level: values.logLevel,
    json: values.useJsonLogger,
    secrets,
    tap: logTap,
    ...(worker && { process: `worker ${worker.id}` }),
  });
}

/** The same mark at both ends. */
const QUOTED = /^\s*(["'`]).*\1\s*$/s;

/**
 * Returns a hint for every variable whose value is in quotes: env files of Docker and Kubernetes keep
 * them, so that the first and the last key of a list would silently be others.
 *
 * @param origins the variable that the user has set, by our name for it
 */
function findQuotedValues(
  environment: Environment,
  origins: ReadonlyMap<string, string>,
): readonly string[] {
  return Object.values(SETTINGS)
    .flatMap(variablesOf)
    .filter((name) => QUOTED.test(environment[name] ?? ""))
    .map(
      (name) =>
        `${origins.get(name) ?? name} begins and ends with a quotation mark: remove both, unless they belong to the value. Env files of Docker and Kubernetes keep quotes`,
    );
}
