import type { CustomStrategy } from "flags-engine";
import type { Logger } from "flags-server-kit/neutral";
import type { Certificate, NamedFile } from "flags-server-kit";
import type { ContextEnricher } from "../core/context/enrichers.ts";
import type { FlagFile } from "../files/read-flag-file.ts";
import type { StoreConfig } from "../store/store.ts";
import type { SettingName, Values } from "./settings.ts";

export type { CorsOrigin } from "./address-setting-kinds.ts";

/** Maximum number of streams to server SDKs, if the limit of connections allows that many. */
export const MAX_SDK_STREAMS = 10_000;

/** The values of the settings whose names begin with a prefix, without it. */
export type GroupOf<Prefix extends string> = {
  readonly [
    Name in SettingName as Name extends `${Prefix}${infer Rest}` ? Uncapitalize<Rest> : never
  ]: Values[Name];
};

/** Cross-origin rules. */
export type CorsConfig = GroupOf<"cors">;

/** The source of flags until the upstream responds. */
export interface BootstrapConfig {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Keys that the upstream verifies. */
interface UpstreamKeysConfig {
  /** A revoked key is rejected within this time, if the upstream responds. */
  readonly revalidationIntervalMs: number;
  /** The last verification of a key counts for this time, if the upstream does not respond. */
  readonly maxAgeMs: number;
}

/** Where usage is kept until it is delivered. */
export interface UsageSpoolConfig {
  /** An absolute path; each source has its own directory in it. Undefined: usage is only in memory. */
  readonly directory: string | undefined;
  /** For each source. */
  readonly maxBytes: number;
}

/** What a TLS server presents and accepts. */
export interface TlsMaterial extends Certificate {
  /** PEM certificates of the CAs that issue client certificates; undefined if clients need none. */
  readonly clientCa: string | undefined;
}

/** How the proxy serves TLS. */
export interface TlsConfig {
  /** The certificate as it was at startup. */
  readonly material: TlsMaterial;
  readonly files: TlsFileSettings;
  /** Undefined: TLS uses the main port, and there is no plain HTTP. */
  readonly port: number | undefined;
  /** Whether the main port redirects to the port of TLS instead of serving plain HTTP. */
  readonly redirects: boolean;
}

/** The files of the TLS server. */
export interface TlsFileSettings {
  readonly cert: NamedFile;
  readonly key: NamedFile;
  readonly clientCa: NamedFile | undefined;
}

/** Connections to the upstream. Certificates and keys are PEM. */
export interface UpstreamConnectionConfig {
  /** Undefined: the CAs that Node trusts. */
  readonly ca: readonly string[] | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

/** Ports, addresses and certificates. */
export interface NetworkConfig {
  /** Undefined: plain HTTP only. */
  readonly tls: TlsConfig | undefined;
  /** Addresses and ranges that may send requests. Undefined: all that are not denied. */
  readonly allowList: readonly string[] | undefined;
  readonly denyList: readonly string[];
  /** Where metrics and operations are served. Undefined: on the main port. */
  readonly management: { readonly port: number; readonly host: string | undefined } | undefined;
  readonly upstream: UpstreamConnectionConfig;
}

/** The settings from which other members of the configuration are computed. */
type Source =
  | `${"cors" | "push" | "otel" | "tls" | "management" | "store" | "bootstrap" | "upstream"}${string}`
  | `${"usageSpool" | "custom" | "flags"}${string}`
  | "allowList"
  | "denyList"
  | "clientKeys"
  | "proxySecrets"
  | "instanceId"
  | "allProxy"
  | "logger"
  | "logLevel"
  | "maxConnections";

/** The settings that the proxy uses as they are. */
type UnchangedValues = Pick<Values, Exclude<SettingName, Source>>;

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

/** The configuration of a proxy, checked and with defaults. Immutable. */
export interface ProxyConfig extends UnchangedValues {
  readonly upstreamUrl: string;
  /** The files with flags, one per environment; undefined: the flags come from an upstream. */
  readonly files: readonly FlagFile[] | undefined;
  /** One per upstream environment; empty only with files. */
  readonly upstreamTokens: readonly string[];
  readonly clientKeys: readonly string[];
  /** Whether a key in settings gives only flags of the project that its text names, as in Edge. */
  readonly limitsKeysToProject: boolean;
  /** Lets the upstream verify keys that no setting and no file contains; undefined: they are rejected. */
  readonly upstreamKeys: UpstreamKeysConfig | undefined;
  readonly instanceId: string;
  readonly usageSpool: UsageSpoolConfig;
  readonly logger: Logger;
  readonly customStrategies: readonly CustomStrategy[];
  readonly contextEnrichers: readonly ContextEnricher[];
  /** Where flags are kept across restarts. */
  readonly store: StoreConfig | undefined;
  readonly bootstrap: BootstrapConfig | undefined;
  /** Streams to clients. Without a secret, the upstream tokens encrypt the context in stream URLs. */
  readonly push: GroupOf<"push">;
  /** Maximum number of open client connections, per process. */
  readonly maxConnections: number;
  readonly cors: CorsConfig;
  readonly network: NetworkConfig;
}
