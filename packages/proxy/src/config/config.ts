import { randomBytes } from "node:crypto";
import { resolve } from "node:path";
import type { CustomStrategy } from "flags-engine";
import { generateInstanceId } from "flags-sdk/internal";
import { type LogTap, type Resolution, toTelemetryConfig } from "flags-server-kit";
import type { Logger } from "flags-server-kit/neutral";
import type { ContextEnricher } from "../core/context/enrichers.ts";
import type { FlagFile } from "../files/read-flag-file.ts";
import type { StoreConfig } from "../store/store.ts";
import { WORKER_FILES } from "./flag-files.ts";
import { groupOf, toCorsConfig } from "./group-settings.ts";
import type { NetworkConfig } from "./load-network.ts";
import type { Settings, Values } from "./settings.ts";

export type { CorsOrigin } from "./address-setting-kinds.ts";
export type { CorsConfig } from "./group-settings.ts";

interface Parts {
  readonly logger: Logger;
  /** For what every process of this proxy notices, such as changes of files, so that it is logged once. @default `logger` */
  readonly sharedLogger?: Logger;
  /** The tap of the built-in logger. */
  readonly logTap: LogTap | undefined;
  /** The variable or option that each value comes from, for messages; no entry for defaults. */
  readonly origins: Resolution<Settings>["origins"];
  /** Maximum number of open client connections, per process. */
  readonly maxConnections: number;
  readonly customStrategies: readonly CustomStrategy[];
  readonly contextEnrichers: readonly ContextEnricher[];
  readonly network: NetworkConfig;
  /** CAs to trust for the store, in PEM; undefined: those that Node trusts. */
  readonly storeAuthorities: readonly string[] | undefined;
  /** The files with flags, one per environment; undefined: the flags come from an upstream. */
  readonly files: readonly FlagFile[] | undefined;
  /** Whether a key in settings gives only flags of the project that its text names, as in Edge. */
  readonly limitsKeysToProject: boolean;
}

export function assembleConfig(values: Values, { storeAuthorities, ...parts }: Parts) {
  const { files } = parts;
  // NOTE: with files there is no upstream token, and a secret that clients know would not protect anything.
  const pushSecret = values.pushSecret ?? (files && randomBytes(32).toString("base64url"));
  const { allProxy, httpProxy = allProxy, httpsProxy = allProxy, noProxy } = values;
  const forwardProxies = { httpProxy, httpsProxy, noProxy };
  const store: StoreConfig | undefined = values.store && {
    address: values.store,
    access: { ...groupOf(values, "store"), ca: storeAuthorities, ...forwardProxies },
  };
  return Object.freeze({
    ...values,
    ...parts,
    ...forwardProxies,
    upstreamUrl: values.flagsUrl ?? "",
    /** One per upstream environment; empty only with files. */
    upstreamTokens: values.flagsApiToken ?? [],
    clientKeys: values.clientKeys ?? values.proxySecrets ?? [],
    upstreamKeys: toUpstreamKeys(values),
    instanceId: values.instanceId ?? generateInstanceId(),
    usageSpool: {
      /** Each source has its own directory in it. Undefined: usage is only in memory. */
      directory: values.usageSpool === undefined ? undefined : resolve(values.usageSpool),
      /** For each source. */
      maxBytes: values.usageSpoolMaxBytes,
    },
    workerVariables: toWorkerVariables(
      files,
      values.pushSecret === undefined ? pushSecret : undefined,
    ),
    /** Undefined: OpenTelemetry is not enabled, and not loaded. */
    telemetry: toTelemetryConfig(values),
    store,
    /** The source of flags until the upstream responds. */
    bootstrap: toBootstrap(values),
    /** Streams to clients. Without a secret, the upstream tokens encrypt the context in stream URLs. */
    push: { ...groupOf(values, "push"), secret: pushSecret },
    cors: toCorsConfig(values),
  });
}

/** How keys are verified that no setting and no file contains; undefined: they are rejected. */
function toUpstreamKeys({ upstreamKeys, upstreamKeysInterval, upstreamKeysMaxAge }: Values) {
  if (!upstreamKeys) return undefined;
  return { revalidationIntervalMs: upstreamKeysInterval, maxAgeMs: upstreamKeysMaxAge };
}

/** Variables with which workers load the same configuration. They may contain secrets. */
function toWorkerVariables(
  files: Parts["files"],
  chosenSecret: string | undefined,
): Readonly<Record<string, string>> {
  return {
    ...(files && { [WORKER_FILES]: JSON.stringify(files) }),
    ...(chosenSecret !== undefined && { FLAGS_PUSH_SECRET: chosenSecret }),
  };
}

function toBootstrap({ bootstrapUrl: url, bootstrapAuthorization, bootstrapHeaders }: Values) {
  if (url === undefined) return undefined;
  const headers: Record<string, string> = { ...bootstrapHeaders };
  const hasHeader = Object.keys(headers).some((name) => name.toLowerCase() === "authorization");
  if (bootstrapAuthorization !== undefined && !hasHeader) {
    headers["Authorization"] = bootstrapAuthorization;
  }
  return { url, headers };
}

/** The configuration of a proxy, checked and with defaults. Immutable. */
export type ProxyConfig = ReturnType<typeof assembleConfig>;

/** The settings on which responses to clients depend, however the proxy is served. */
export type ClientConfig = Pick<
  ProxyConfig,
  | "ageHeader"
  | "appName"
  | "basePath"
  | "clientKeysHeaderName"
  | "contextEnrichers"
  | "cors"
  | "enableAllEndpoint"
  | "environment"
  | "explainEnabled"
  | "ofrepEventStreams"
  | "ofrepValues"
>;
