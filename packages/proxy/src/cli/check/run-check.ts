import type { Diagnostic } from "flags-engine";
import { describeCause, describeCount } from "flags-sdk/neutral";
import { ConfigError, explainStartFailure, tryPort } from "flags-server-kit";
import type { Logger } from "flags-server-kit/neutral";
import { inspectUpstream, type UpstreamInspection } from "../../upstream/inspect-upstream.ts";
import type { AccessEntry } from "../../access-file/read-access-file.ts";
import type { ProxyConfig } from "../../config/config.ts";
import { loadConfig } from "../../config/load-config.ts";
import { PROGRAM } from "../../config/program.ts";
import type { TranslatedEnvironment } from "../../config/translation-report.ts";
import type { FlagFile } from "../../files/read-flag-file.ts";
import { listPorts } from "../../config/list-ports.ts";
import { toUpstreamClientOptions } from "../../config/upstream-client-options.ts";
import { describeSources } from "../../sources/describe-sources.ts";
import { parseTokenScope } from "../../sources/token-scope.ts";
import { verifyStore } from "./verify-store.ts";
import { describeUpstreamFailure } from "../describe-upstream-failure.ts";
import { inspectFlagFile } from "../inspect-source.ts";
import { SILENT } from "../silent-logger.ts";
import { checkKeySets, checkUpstreamKeys } from "./check-key-sources.ts";

/** The result of `flags-proxy check`, which `--json` prints. Contains no secrets. */
export type CheckReport = Awaited<ReturnType<typeof runCheck>>;

export type CheckedSettings = ReturnType<typeof describeSettings>;
export type CheckedUpstream = ReturnType<typeof describeUpstream>;
export type CheckedStore = Awaited<ReturnType<typeof verifyStore>>;

export interface CheckedContent {
  readonly flags: number;
  readonly segments: number;
  readonly sizeBytes: number;
}

export async function runCheck(given: TranslatedEnvironment) {
  const found = { version: PROGRAM.version, problems: [] as string[], warnings: [] as string[] };
  const config = await tryLoadConfig(given, found);
  if (config === undefined) {
    return { ...found, settings: undefined, store: undefined, upstreams: [], files: undefined };
  }
  const { files } = config;
  const names = describeSources(config).map(({ name }) => name);
  const checkedFiles = await Promise.all(
    (files ?? []).map((file, index) => checkFile(config, file, names[index] ?? "")),
  );
  const [store, ...upstreams] = await Promise.all([
    checkStore(config),
    ...(files === undefined ? config.upstreamTokens : []).map((token, index) =>
      checkSource(config, token, names[index] ?? ""),
    ),
  ]);
  // Otherwise the reason is reported already.
  if (config.upstreamKeys && upstreams.some((upstream) => upstream !== undefined)) {
    const keyProblem = await checkUpstreamKeys(config);
    if (keyProblem !== undefined) config.logger.error(keyProblem);
  }
  await checkPorts(config);
  // NOTE: the proxy starts without them, so they are only warnings.
  const entries = await readAccessEntries(config);
  for (const warning of await checkKeySets(entries, config)) config.logger.warn(warning);
  return {
    ...found,
    settings: describeSettings(config, entries.length),
    store,
    upstreams: upstreams.filter((upstream) => upstream !== undefined),
    files: files && checkedFiles,
  };
}

/** NOTE: the check can run next to the proxy, which then uses the ports, so this is only a warning. */
async function checkPorts(config: ProxyConfig): Promise<void> {
  for (const address of listPorts(config)) {
    // oxlint-disable-next-line no-await-in-loop -- at most three
    await tryPort(address).catch((error: unknown) => {
      config.logger.warn(`${explainStartFailure(error)}. Ignore this if the proxy itself uses it`);
    });
  }
}

/** NOTE: a store that fails does not prevent the start, so this is only a warning. */
async function checkStore({ store, logger }: ProxyConfig) {
  if (store === undefined) return undefined;
  try {
    return await verifyStore(store);
  } catch (error) {
    logger.warn(`The store ${store.address.text} cannot be used: ${describeCause(error)}`);
    return undefined;
  }
}

/** Adds what it finds to the report; with several sources, each finding names its source. */
async function checkSource(config: ProxyConfig, token: string, name: string) {
  // NOTE: the logger of the configuration removes secrets from what it passes on to the lists.
  const { logger } = config;
  const prefix = config.upstreamTokens.length === 1 ? "" : `${name}: `;
  const options = toUpstreamClientOptions(config, token);
  try {
    const inspection = await inspectUpstream(options);
    const environment = inspection.environment ?? parseTokenScope(token)?.environment;
    const warnings = [
      ...findWarnings(config, inspection),
      ...findOtherEnvironments(config, environment),
    ];
    for (const warning of warnings) logger.warn(prefix + warning);
    return describeUpstream(name, inspection);
  } catch (error) {
    logger.error(prefix + (await describeUpstreamFailure(error, options, config.origins)));
    return undefined;
  }
}

/** Adds what it finds to the report. The configuration has been loaded, so the file is usable. */
async function checkFile({ customStrategies, logger }: ProxyConfig, file: FlagFile, name: string) {
  const { document, snapshot, warnings, sizeBytes } = await inspectFlagFile(file, customStrategies);
  const { flags, diagnostics } = snapshot;
  const found = [...warnings, ...describeFlagProblems(diagnostics)];
  if (flags.length === 0) found.push("It contains no flags");
  for (const warning of found) logger.warn(`${file.path}: ${warning}`);
  return {
    source: name,
    path: file.path,
    environment: file.environment,
    flags: flags.length,
    segments: document.segments.size,
    sizeBytes,
  };
}

async function tryLoadConfig(
  given: TranslatedEnvironment,
  { problems, warnings }: Record<"problems" | "warnings", string[]>,
): Promise<ProxyConfig | undefined> {
  const logger: Logger = {
    ...SILENT,
    warn: (message) => void warnings.push(String(message)),
    error: (message) => void problems.push(String(message)),
    fatal: (message) => void problems.push(String(message)),
  };
  try {
    return await loadConfig({ logger }, given.environment, { report: given });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    problems.push(...error.problems);
    warnings.push(...error.hints);
    return undefined;
  }
}

async function readAccessEntries({ accessFile }: ProxyConfig): Promise<readonly AccessEntry[]> {
  if (accessFile === undefined) return [];
  const { readAccessFile } = await import("../../access-file/read-access-file.ts");
  const { entries } = await readAccessFile(accessFile);
  return entries;
}

function describeSettings(config: ProxyConfig, accessFileKeys: number) {
  return {
    flagsUrl: config.upstreamUrl,
    /** The scope of each upstream token; undefined if its text does not contain one. */
    tokens: config.files === undefined ? config.upstreamTokens.map(parseTokenScope) : [],
    clientKeys: config.clientKeys.length,
    serverTokens: config.serverTokens.length,
    ...(config.accessFile !== undefined && { accessFile: config.accessFile, accessFileKeys }),
    upstreamKeys: config.upstreamKeys !== undefined,
    synchronization: config.synchronization,
    refreshIntervalMs: config.refreshIntervalMs,
    customStrategies: config.customStrategies.map(({ name }) => name),
  };
}

function describeUpstream(source: string, inspection: UpstreamInspection) {
  const { environment, sizeBytes, offersDelta, offersStreaming, clock } = inspection;
  return {
    source,
    environment,
    flags: inspection.snapshot.flags.length,
    segments: inspection.segmentCount,
    sizeBytes,
    firstRequestMs: Math.round(inspection.firstRequestMs),
    pollMs: Math.round(inspection.pollMs),
    /** Positive: the clock of the upstream is ahead. */
    clockOffsetMs: clock && Math.round(clock.offsetMs),
    clockUncertaintyMs: clock && Math.round(clock.uncertaintyMs),
    offersDelta,
    offersStreaming,
  };
}

/** Smaller differences have no noticeable effect on rules with dates. */
const MAX_CLOCK_OFFSET_MS = 2000;

const MAX_DIAGNOSTICS = 10;

const FILTERS = ["projectName", "namePrefix", "tags"] as const;

const ADD_STRATEGY = ". Add its file to FLAGS_CUSTOM_STRATEGIES_FILE";

function findWarnings(
  { origins, synchronization }: ProxyConfig,
  { snapshot, clock, ...inspection }: UpstreamInspection,
): readonly string[] {
  const warnings = [...inspection.warnings];
  if (snapshot.flags.length === 0) {
    const filters = FILTERS.flatMap((name) => origins.get(name) ?? []);
    const others = filters.length === 0 ? "" : `, and also ${filters.join(", ")}`;
    warnings.push(
      `The upstream sends no flags: check the project and environment of the token${others}`,
    );
  }
  warnings.push(...describeFlagProblems(snapshot.diagnostics));
  if (clock && Math.abs(clock.offsetMs) - clock.uncertaintyMs > MAX_CLOCK_OFFSET_MS) {
    warnings.push(
      "The clock of this machine differs from that of the upstream: rules with dates take effect too early or too late, so synchronize the clocks",
    );
  }
  if (!inspection.isPollUnchanged) {
    warnings.push(
      "The upstream does not respond with 304 when nothing has changed, so every poll transfers all flags",
    );
  }
  const isOffered =
    synchronization === "delta" ? inspection.offersDelta : inspection.offersStreaming;
  if (synchronization !== "polling" && isOffered !== true) {
    const setting = origins.get("synchronization");
    warnings.push(
      isOffered === false
        ? `The upstream does not offer ${synchronization}, which ${setting} requests: the proxy polls`
        : `A request for ${synchronization}, which ${setting} sets, failed: the proxy polls until one succeeds`,
    );
  }
  return warnings;
}

function describeFlagProblems(diagnostics: readonly Diagnostic[]): readonly string[] {
  const problems = diagnostics.slice(0, MAX_DIAGNOSTICS).map(({ subject, message }) => {
    const hint = /^Strategy .* is unknown/.test(message) ? ADD_STRATEGY : "";
    return `${subject.charAt(0).toUpperCase()}${subject.slice(1)}: ${message}${hint}`;
  });
  const remaining = diagnostics.length - problems.length;
  if (remaining > 0) problems.push(`${describeCount(remaining, "more problem")} in flags`);
  return problems;
}

/** Client keys that look like tokens of another environment get the flags of this one. */
function findOtherEnvironments(
  { clientKeys, upstreamTokens, origins }: ProxyConfig,
  environment: string | undefined,
): readonly string[] {
  // NOTE: with several tokens, keys that no source serves are errors.
  if (environment === undefined || upstreamTokens.length > 1) return [];
  const setting = origins.get("clientKeys") ?? origins.get("proxySecrets");
  return clientKeys.flatMap((key, index) => {
    const scope = parseTokenScope(key);
    if (scope === undefined || scope.environment === environment) return [];
    return [
      `${setting}: entry ${index + 1} names the environment ${scope.environment}, but gets the flags of ${environment}`,
    ];
  });
}
