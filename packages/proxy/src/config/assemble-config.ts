import { randomBytes } from "node:crypto";
import { resolve } from "node:path";
import type { CustomStrategy } from "flags-engine";
import { AGE_HEADER, generateInstanceId } from "flags-sdk/internal";
import {
  type Logger,
  type LogTap,
  type Resolution,
  type TelemetryConfig,
  toTelemetryConfig,
} from "flags-server-kit";
import type { ContextEnricher } from "../extensions.ts";
import type {
  BootstrapConfig,
  CorsConfig,
  NetworkConfig,
  ProxyConfig,
  PushConfig,
  UsageSpoolConfig,
} from "./config.ts";
import type { StoreConfig } from "../store/open-store.ts";
import type { FlagFile } from "../files/read-flag-file.ts";
import { WORKER_FILES } from "./flag-files.ts";
import type { Settings, Values } from "./settings.ts";

/** The configuration of a proxy, with the settings that only the command uses. */
export interface LoadedConfig extends ProxyConfig {
  readonly useJsonLogger: boolean;
  /** How long requests are still served after SIGTERM. */
  readonly shutdownDelayMs: number;
  /** Number of processes that serve requests. */
  readonly workers: number;
  /** Time after which an unresponsive worker is replaced. */
  readonly workerTimeoutMs: number;
  /** Variables with which workers load the same configuration. They may contain secrets. */
  readonly workerVariables: Readonly<Record<string, string>>;
  /** Undefined: OpenTelemetry is not enabled, and not loaded. */
  readonly telemetry: TelemetryConfig | undefined;
  /** The tap of the built-in logger. */
  readonly logTap: LogTap | undefined;
  /** The variable or option that each value comes from, for messages; no entry for defaults. */
  readonly origins: Resolution<Settings>["origins"];
}

/** Parts of the configuration that are loaded or computed, not read. */
interface Collaborators {
  readonly logger: Logger;
  readonly logTap: LogTap | undefined;
  readonly origins: Resolution<Settings>["origins"];
  readonly maxConnections: number;
  readonly customStrategies: readonly CustomStrategy[];
  readonly contextEnrichers: readonly ContextEnricher[];
  readonly network: NetworkConfig;
  /** CAs to trust for the store, in PEM; undefined: those that Node trusts. */
  readonly storeAuthorities: readonly string[] | undefined;
  readonly files: readonly FlagFile[] | undefined;
  readonly limitsKeysToProject: boolean;
}

/** Builds the configuration from checked values. */
export function assembleConfig(values: Values, collaborators: Collaborators): LoadedConfig {
  const { files } = collaborators;
  // NOTE: with files there is no upstream token, and a secret that clients know would not protect anything.
  const pushSecret = values.pushSecret ?? (files && randomBytes(32).toString("base64url"));
  return Object.freeze({
    upstreamUrl: values.flagsUrl ?? "",
    files: collaborators.files && Object.freeze(collaborators.files),
    upstreamTokens: Object.freeze(values.flagsApiToken ?? []),
    clientKeys: Object.freeze(values.clientKeys ?? values.proxySecrets ?? []),
    limitsKeysToProject: collaborators.limitsKeysToProject,
    accessFile: values.accessFile,
    upstreamKeys: values.upstreamKeys
      ? Object.freeze({
          revalidationIntervalMs: values.upstreamKeysInterval,
          maxAgeMs: values.upstreamKeysMaxAge,
        })
      : undefined,
    clientKeysHeaderName: values.clientKeysHeaderName,
    serverTokens: Object.freeze(values.serverTokens),
    port: values.port,
    host: values.host,
    basePath: values.proxyBasePath,
    appName: values.flagsAppName,
    instanceId: values.flagsInstanceId ?? generateInstanceId(),
    synchronization: values.synchronization,
    refreshIntervalMs: values.refreshInterval,
    metricsIntervalMs: values.metricsInterval,
    metricsJitterMs: values.metricsJitter,
    evaluationIdKey: values.evaluationIdKey,
    usageMetricsApplications: Object.freeze(values.usageMetricsApplications),
    usageSpool: toUsageSpool(values),
    environment: values.environment,
    projectName: values.projectName,
    namePrefix: values.namePrefix,
    tags: Object.freeze(values.tags),
    logger: collaborators.logger,
    useJsonLogger: values.useJsonLogger,
    shutdownDelayMs: values.shutdownDelayMs,
    workers: values.workers,
    workerTimeoutMs: values.workerTimeout,
    workerVariables: Object.freeze({
      ...(files && { [WORKER_FILES]: JSON.stringify(files) }),
      ...(pushSecret !== undefined &&
        values.pushSecret === undefined && { FLAGS_PUSH_SECRET: pushSecret }),
    }),
    telemetry: toTelemetryConfig(values),
    logTap: collaborators.logTap,
    origins: collaborators.origins,
    trustProxy: Object.freeze(values.trustProxy),
    allowedHosts: Object.freeze(values.allowedHosts),
    customStrategies: Object.freeze(collaborators.customStrategies),
    contextEnrichers: Object.freeze(collaborators.contextEnrichers),
    storageProvider: values.storageProvider,
    store: toStore(values, collaborators),
    sharesFlags: values.sharedPolling,
    bootstrap: toBootstrap(values),
    openApiEnabled: values.enableOAS,
    enableAllEndpoint: values.enableAllEndpoint,
    explainEnabled: values.enableExplain,
    maxStalenessMs: values.maxStaleness,
    ageHeader: values.ageHeader,
    ofrepEventStreams: values.ofrepEventStreams,
    ofrepValues: values.ofrepValues,
    push: toPush({ ...values, pushSecret }),
    maxConnections: collaborators.maxConnections,
    cors: toCors(values),
    rejectUnauthorized: values.rejectUnauthorized,
    ...toForwardProxies(values),
    network: collaborators.network,
  });
}

function toUsageSpool({ usageSpool, usageSpoolMaxBytes }: Values): UsageSpoolConfig {
  return Object.freeze({
    directory: usageSpool === undefined ? undefined : resolve(usageSpool),
    maxBytes: usageSpoolMaxBytes,
  });
}

function toPush(values: Values): PushConfig {
  return Object.freeze({
    maxStreams: values.pushMaxStreams,
    maxStreamsPerKey: values.pushMaxStreamsPerKey,
    maxContextBytes: values.pushMaxContextBytes,
    maxAgeSeconds: values.pushMaxAge,
    secret: values.pushSecret,
  });
}

function toCors(values: Values): CorsConfig {
  return Object.freeze({
    allowedHeaders: Object.freeze(values.corsAllowedHeaders),
    credentials: values.corsCredentials,
    exposedHeaders: Object.freeze([
      ...values.corsExposedHeaders,
      ...(values.ageHeader ? [AGE_HEADER] : []),
    ]),
    maxAgeSeconds: values.corsMaxAge,
    methods: Object.freeze(values.corsMethods),
    optionsSuccessStatus: values.corsOptionsSuccessStatus,
    // Not frozen: matching a regular expression modifies it.
    origin: values.corsOrigin,
    preflightContinue: values.corsPreflightContinue,
  });
}

/** The proxy servers for requests to the upstream and to stores. */
function toForwardProxies({ httpProxy, httpsProxy, allProxy, noProxy }: Values) {
  return { httpProxy: httpProxy ?? allProxy, httpsProxy: httpsProxy ?? allProxy, noProxy };
}

function toStore(values: Values, { storeAuthorities: ca }: Collaborators): StoreConfig | undefined {
  const { store: address } = values;
  switch (address?.kind) {
    case undefined:
      return undefined;
    case "file":
      return Object.freeze({ kind: "file", address: Object.freeze(address) });
    case "redis": {
      const password = values.storePassword ?? address.password;
      return Object.freeze({ kind: "redis", address: Object.freeze({ ...address, password }), ca });
    }
    case "s3":
      return Object.freeze({
        kind: "s3",
        address: Object.freeze(address),
        region: address.region ?? values.storeRegion ?? DEFAULT_REGION,
        accessKeyId: values.storeAccessKeyId,
        secretAccessKey: values.storeSecretAccessKey,
        sessionToken: values.storeSessionToken,
        ca,
        ...toForwardProxies(values),
      });
    default:
      return address satisfies never;
  }
}

/** S3-compatible servers accept this region, unless they are configured with another one. */
const DEFAULT_REGION = "us-east-1";

function toBootstrap(values: Values): BootstrapConfig | undefined {
  const { bootstrapUrl: url, bootstrapAuthorization: authorization } = values;
  if (url === undefined) return undefined;
  const headers = { ...values.bootstrapHeaders };
  const hasHeader = Object.keys(headers).some((name) => name.toLowerCase() === "authorization");
  if (authorization !== undefined && !hasHeader) headers["Authorization"] = authorization;
  return Object.freeze({ url, headers: Object.freeze(headers) });
}
