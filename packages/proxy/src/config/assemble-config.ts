import { randomBytes } from "node:crypto";
import { resolve } from "node:path";
import { generateInstanceId } from "flags-sdk/internal";
import {
  type LogTap,
  type Resolution,
  type TelemetryConfig,
  toTelemetryConfig,
} from "flags-server-kit";
import type { BootstrapConfig, ProxyConfig } from "./config.ts";
import { groupOf, toCorsConfig } from "./group-settings.ts";
import { WORKER_FILES } from "./flag-files.ts";
import type { Settings, Values } from "./settings.ts";

/** The configuration of a proxy, with what only the command uses. */
export interface LoadedConfig extends ProxyConfig {
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
interface Parts extends Pick<
  LoadedConfig,
  | "logger"
  | "logTap"
  | "origins"
  | "maxConnections"
  | "customStrategies"
  | "contextEnrichers"
  | "network"
  | "files"
  | "limitsKeysToProject"
> {
  /** CAs to trust for the store, in PEM; undefined: those that Node trusts. */
  readonly storeAuthorities: readonly string[] | undefined;
}

/** Builds the configuration from checked values. */
export function assembleConfig(
  values: Values,
  { storeAuthorities, ...parts }: Parts,
): LoadedConfig {
  const { files } = parts;
  // NOTE: with files there is no upstream token, and a secret that clients know would not protect anything.
  const pushSecret = values.pushSecret ?? (files && randomBytes(32).toString("base64url"));
  const forwardProxies = toForwardProxies(values);
  return Object.freeze({
    ...values,
    ...parts,
    ...forwardProxies,
    upstreamUrl: values.flagsUrl ?? "",
    upstreamTokens: values.flagsApiToken ?? [],
    clientKeys: values.clientKeys ?? values.proxySecrets ?? [],
    upstreamKeys: values.upstreamKeys
      ? { revalidationIntervalMs: values.upstreamKeysInterval, maxAgeMs: values.upstreamKeysMaxAge }
      : undefined,
    instanceId: values.instanceId ?? generateInstanceId(),
    usageSpool: {
      directory: values.usageSpool === undefined ? undefined : resolve(values.usageSpool),
      maxBytes: values.usageSpoolMaxBytes,
    },
    workerVariables: {
      ...(files && { [WORKER_FILES]: JSON.stringify(files) }),
      ...(pushSecret !== undefined &&
        values.pushSecret === undefined && { FLAGS_PUSH_SECRET: pushSecret }),
    },
    telemetry: toTelemetryConfig(values),
    store: values.store && {
      address: values.store,
      access: { ...groupOf(values, "store"), ca: storeAuthorities, ...forwardProxies },
    },
    bootstrap: toBootstrap(values),
    push: { ...groupOf(values, "push"), secret: pushSecret },
    cors: toCorsConfig(values),
  });
}

/** The proxy servers for requests to the upstream and to stores. */
function toForwardProxies({ httpProxy, httpsProxy, allProxy, noProxy }: Values) {
  return { httpProxy: httpProxy ?? allProxy, httpsProxy: httpsProxy ?? allProxy, noProxy };
}

function toBootstrap(values: Values): BootstrapConfig | undefined {
  const { bootstrapUrl: url, bootstrapAuthorization: authorization } = values;
  if (url === undefined) return undefined;
  const headers = { ...values.bootstrapHeaders };
  const hasHeader = Object.keys(headers).some((name) => name.toLowerCase() === "authorization");
  if (authorization !== undefined && !hasHeader) headers["Authorization"] = authorization;
  return { url, headers };
}
