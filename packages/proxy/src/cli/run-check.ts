import { inspectUpstream, type UpstreamInspection } from "flags-sdk";
import { ConfigError, type Environment, type Logger } from "flags-server-kit";
import type { LoadedConfig } from "../config/assemble-config.ts";
import type { ProxyConfig } from "../config/config.ts";
import { loadConfig } from "../config/load-config.ts";
import { toClientOptions } from "../flag-source.ts";
import { version } from "../version.ts";
import type { CheckedSettings, CheckedUpstream, CheckReport, TokenScope } from "./check-report.ts";
import { explainUpstreamFailure } from "./explain-upstream-failure.ts";

/** Checks the settings as a start does, and requests the flags of the upstream. */
export async function runCheck(environment: Environment): Promise<CheckReport> {
  const problems: string[] = [];
  const warnings: string[] = [];
  const report = { version, problems, warnings, settings: undefined, upstream: undefined };
  const config = await tryLoadConfig(environment, { problems, warnings });
  if (config === undefined) return report;
  // NOTE: the logger of the configuration removes secrets from what it passes on to the lists.
  const { logger } = config;
  const settings = describeSettings(config);
  try {
    const inspection = await inspectUpstream(toClientOptions(config));
    for (const warning of findWarnings(config, settings, inspection)) logger.warn(warning);
    return { ...report, settings, upstream: describeUpstream(inspection) };
  } catch (error) {
    logger.error(await explainUpstreamFailure(error, toClientOptions(config)));
    return { ...report, settings };
  }
}

interface Findings {
  readonly problems: string[];
  readonly warnings: string[];
}

const ignore = (): void => {};

/** Loads the configuration with a logger that adds to the findings. */
async function tryLoadConfig(
  environment: Environment,
  { problems, warnings }: Findings,
): Promise<LoadedConfig | undefined> {
  const logger: Logger = {
    debug: ignore,
    info: ignore,
    warn: (message) => void warnings.push(String(message)),
    error: (message) => void problems.push(String(message)),
    fatal: (message) => void problems.push(String(message)),
  };
  try {
    return await loadConfig({ logger }, environment);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    problems.push(...error.problems);
    warnings.push(...error.hints);
    return undefined;
  }
}

function describeSettings(config: ProxyConfig): CheckedSettings {
  return {
    flagsUrl: config.upstreamUrl,
    token: readScope(config.upstreamToken),
    clientKeys: config.clientKeys.length,
    serverTokens: config.serverTokens.length,
    synchronization: config.synchronization,
    refreshIntervalMs: config.refreshIntervalMs,
    customStrategies: config.customStrategies.map(({ name }) => name),
  };
}

/** Returns the part of a token such as `project:environment.secret` that is not secret. */
function readScope(token: string): TokenScope | undefined {
  const [, project, environment] = /^([^:\s]+):([^.:\s]+)\../.exec(token) ?? [];
  if (project === undefined || environment === undefined) return undefined;
  return { project: project === "[]" ? "several" : project, environment };
}

function describeUpstream(inspection: UpstreamInspection): CheckedUpstream {
  const { snapshot, clock } = inspection;
  return {
    environment: inspection.environment,
    flags: snapshot.flags.length,
    segments: inspection.segmentCount,
    sizeBytes: inspection.sizeBytes,
    firstRequestMs: Math.round(inspection.firstRequestMs),
    pollMs: Math.round(inspection.pollMs),
    clockOffsetMs: clock && Math.round(clock.offsetMs),
    clockUncertaintyMs: clock && Math.round(clock.uncertaintyMs),
    offersDelta: inspection.offersDelta,
    offersStreaming: inspection.offersStreaming,
  };
}

/** Smaller differences have no noticeable effect on rules with dates. */
const MAX_CLOCK_OFFSET_MS = 2000;

const MAX_DIAGNOSTICS = 10;

const ADD_STRATEGY = ". Add its file to FLAGS_CUSTOM_STRATEGIES_FILE";

function findWarnings(
  config: ProxyConfig,
  { token }: CheckedSettings,
  { snapshot, clock, ...inspection }: UpstreamInspection,
): readonly string[] {
  const warnings = [...inspection.warnings];
  if (snapshot.flags.length === 0) {
    warnings.push(
      "The upstream sends no flags: check the project and environment of the token, and FLAGS_PROJECT_NAME, FLAGS_NAME_PREFIX and FLAGS_TAGS",
    );
  }
  const { diagnostics } = snapshot;
  for (const { subject, message } of diagnostics.slice(0, MAX_DIAGNOSTICS)) {
    const hint =
      message.startsWith("Strategy ") && message.includes(" is unknown") ? ADD_STRATEGY : "";
    warnings.push(`${capitalize(subject)}: ${message}${hint}`);
  }
  if (diagnostics.length > MAX_DIAGNOSTICS) {
    warnings.push(`Further problems in flags: ${diagnostics.length - MAX_DIAGNOSTICS}`);
  }
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
  const { synchronization } = config;
  const isOffered =
    synchronization === "delta" ? inspection.offersDelta : inspection.offersStreaming;
  if (synchronization !== "polling" && !isOffered) {
    warnings.push(
      `The upstream does not offer FLAGS_SYNCHRONIZATION=${synchronization}: the proxy polls`,
    );
  }
  return [
    ...warnings,
    ...findOtherEnvironments(config, inspection.environment ?? token?.environment),
  ];
}

/** Client keys that look like tokens of another environment get the flags of this one. */
function findOtherEnvironments(
  { clientKeys }: ProxyConfig,
  environment: string | undefined,
): readonly string[] {
  if (environment === undefined) return [];
  return clientKeys.flatMap((key, index) => {
    const scope = readScope(key);
    if (scope === undefined || scope.environment === environment) return [];
    return [
      `FLAGS_PROXY_CLIENT_KEYS: entry ${index + 1} names the environment ${scope.environment}, but gets the flags of ${environment}`,
    ];
  });
}

function capitalize(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
