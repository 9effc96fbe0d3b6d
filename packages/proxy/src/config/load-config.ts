import { describeSources } from "../sources/describe-sources.ts";
import {
  collectSecrets,
  ConfigError,
  createLogger,
  defaultMaxConnections,
  findUnknownOptions,
  findUnknownVariables,
  LogTap,
  nameSetting,
  readOpenFileLimit,
  type Resolution,
  resolveSettings,
  showSettings,
  toTelemetryConfig,
  wrapLogger,
} from "flags-server-kit";
import { type Environment, isLoopbackHost, variablesOf } from "flags-server-kit/command-line";
import { isRecord, type Logger } from "flags-server-kit/neutral";
import { enricherKind, keepFirstOfEachName, strategyKind } from "./extension-kinds.ts";
import { loadExtensions } from "./extensions.ts";
import { assembleConfig, type ProxyConfig } from "./config.ts";
import { checkSettings, type Findings, findUnreachableLimits } from "./check-settings.ts";
import type { FlagFile } from "../files/read-flag-file.ts";
import { type FlagFiles, listFlagFiles, WORKER_FILES } from "./flag-files.ts";
import { loadNetwork } from "./load-network.ts";
import type { ProxyOptions } from "./options.ts";
import { PROGRAM } from "./program.ts";
import { findUnlimitedKeys } from "./project-keys.ts";
import { SETTINGS, type Settings, type Values } from "./settings.ts";
import { NOT_TRANSLATED, type TranslationReport } from "./translation-report.ts";

interface WorkerIdentity {
  readonly id: number;
}

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

/** @throws {ConfigError} with all problems, if there are any */
export async function loadConfig(
  options: ProxyOptions,
  environment: Environment,
  { worker, needsKeys, report = NOT_TRANSLATED }: Purpose = {},
): Promise<ProxyConfig> {
  if (!isRecord(options)) throw new ConfigError(["Options must be an object"]);
  const { origins, otherNames, limitsKeysToProject } = report;
  const resolution = resolveSettings(SETTINGS, { options, environment, origins });
  const { values } = resolution;
  const listed = listFlagFiles(values.flagsUrl ?? "", worker && environment[WORKER_FILES]);
  const files = listed?.files;
  const openFiles = { limit: readOpenFileLimit() };
  const maxConnections =
    values.maxConnections ?? defaultMaxConnections(values.pushMaxStreams, openFiles);
  const names = { ...PROGRAM, ...report.formerNames };
  const findings = checkSettings(resolution, files, { otherNames, needsKeys });
  const { problems, hints, risks } = findings;
  problems.push(...report.problems, ...resolution.problems);
  hints.push(...findUnreachableLimits(resolution, maxConnections, openFiles));
  await checkAccess(values, files, findings);
  if (worker === undefined) await checkDisk(resolution, listed, findings);
  const network = loadNetwork(resolution, findings, Date.now());
  const extensions = await loadCode(resolution, findings);
  problems.push(...findUnknownOptions(names, options));
  hints.push(
    ...report.hints,
    ...(limitsKeysToProject ? findUnlimitedKeys(values, resolution.origins) : []),
    ...findUnknownVariables(names, environment).map(({ hint }) => hint),
    ...findQuotedValues(environment, origins),
  );
  if (problems.length > 0) throw new ConfigError(problems, hints);

  const logTap = toTelemetryConfig(values) === undefined ? undefined : new LogTap();
  const logger = chooseLogger(values, worker, logTap);
  const config = assembleConfig(values, {
    logger,
    logTap,
    origins: resolution.origins,
    maxConnections,
    ...extensions,
    ...network,
    files,
    limitsKeysToProject,
  });
  if (worker !== undefined) return config;
  for (const line of report.information) logger.info(line);
  for (const warning of [...report.warnings, ...hints, ...risks]) logger.warn(warning);
  logger.debug("Configuration", showSettings(SETTINGS, values));
  return config;
}

async function loadCode({ values, origins }: Resolution<Settings>, findings: Findings) {
  const origin = origins.get("customStrategies") ?? "";
  const [strategies, enrichers] = await Promise.all([
    loadExtensions(values.customStrategies, origin, strategyKind),
    loadExtensions(values.customEnrichers, origins.get("customEnrichers") ?? "", enricherKind),
  ]);
  const { extensions, hints } = keepFirstOfEachName(strategies.extensions, origin);
  findings.problems.push(...strategies.problems, ...enrichers.problems);
  findings.hints.push(...hints);
  return { customStrategies: extensions, contextEnrichers: enrichers.extensions };
}

async function checkAccess(
  values: Values,
  files: readonly FlagFile[] | undefined,
  findings: Findings,
): Promise<void> {
  if (values.accessFile === undefined) return;
  // NOTE: loaded only if there is a file, since compiling its schema would slow down every start.
  const { checkAccessFile } = await import("../access-file/check-access-file.ts");
  const { flagsApiToken = [], clientKeys = values.proxySecrets ?? [], serverTokens } = values;
  const { problems, risks } = await checkAccessFile(values.accessFile, {
    sources: describeSources({ upstreamTokens: flagsApiToken, files }),
    keys: [...clientKeys, ...serverTokens],
    isLoopback: isLoopbackHost(values.host),
  });
  const name = nameSetting(SETTINGS.accessFile);
  findings.problems.push(...problems.map((each) => `${name}: ${values.accessFile}: ${each}`));
  findings.risks.push(...risks.map((each) => `${name}: ${each}`));
}

/** Checks the files and directories that workers do not open: those with flags, or the spool of usage. */
async function checkDisk(
  { values, origins }: Resolution<Settings>,
  listed: FlagFiles | undefined,
  findings: Findings,
): Promise<void> {
  if (listed !== undefined) {
    const { checkFlagFiles } = await import("../files/read-flag-file.ts");
    const problems = [...listed.problems, ...(await checkFlagFiles(listed.files))];
    findings.problems.push(...problems.map((each) => `${origins.get("flagsUrl")}: ${each}`));
  } else if (values.usageSpool !== undefined) {
    const { checkUsageSpool } = await import("./check-usage-spool.ts");
    await checkUsageSpool(values.usageSpool, values.flagsApiToken ?? [], findings);
  }
}

function chooseLogger(
  values: Values,
  worker: WorkerIdentity | undefined,
  logTap: LogTap | undefined,
): Logger {
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

const QUOTED = /^\s*(["'`]).*\1\s*$/s;

/** Env files of Docker and Kubernetes keep quotes: the first and last key of a list would silently be others. */
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
