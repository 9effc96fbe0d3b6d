import type { CustomStrategy } from "flags-engine";
import type { StorageProvider, Synchronization, Tag } from "flags-sdk";
import type { Logger, NamedFile, TrustProxy } from "flags-server-kit";
import type { TlsMaterial } from "flags-server-kit/http";
import type { ContextEnricher } from "../extensions.ts";
import type { FlagFile } from "../files/read-flag-file.ts";
import type { StoreConfig } from "../store/open-store.ts";

/** The possible meanings of a flag's value in OFREP. */
export const OFREP_VALUES = ["boolean", "payload"] as const;

/**
 * `boolean`: whether the flag is on. `payload`: the payload of its variant, if it has one. An OFREP
 * response has one value per flag, and a request does not say which type the caller expects.
 */
export type OfrepValues = (typeof OFREP_VALUES)[number];

/** Maximum number of streams to server SDKs, if the limit of connections allows that many. */
export const MAX_SDK_STREAMS = 10_000;

/** Decides whether an origin is allowed, as in `@fastify/cors`: through a callback or a promise. */
export type OriginFunction = (
  origin: string | undefined,
  callback: (error: Error | null, allowed: string | boolean | RegExp | (string | RegExp)[]) => void,
) => void;

/**
 * `*` or a list of allowed origins. In code also: true to allow the origin of each request, false for
 * no CORS headers, regular expressions, or a function.
 */
export type CorsOrigin = "*" | boolean | RegExp | OriginFunction | readonly (string | RegExp)[];

/** Cross-origin rules. */
export interface CorsConfig {
  /** Undefined: the headers that SDKs send, and every header that a preflight requests. */
  readonly allowedHeaders: readonly string[] | undefined;
  readonly credentials: boolean;
  readonly exposedHeaders: readonly string[];
  readonly maxAgeSeconds: number;
  readonly methods: readonly string[];
  readonly optionsSuccessStatus: number;
  readonly origin: CorsOrigin;
  readonly preflightContinue: boolean;
}

/** The source of flags until the upstream responds. */
export interface BootstrapConfig {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Streams to clients. */
export interface PushConfig {
  /** Maximum number of open streams; 0 disables streams. */
  readonly maxStreams: number;
  /** Maximum number of open streams per client key; undefined: depends on the number of keys. */
  readonly maxStreamsPerKey: number | undefined;
  /** Memory limit for the contexts of all open streams. */
  readonly maxContextBytes: number;
  readonly maxAgeSeconds: number;
  /** Encrypts the context in stream URLs; undefined: the upstream tokens are used. */
  readonly secret: string | undefined;
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

/** The configuration of a proxy, checked and with defaults. Immutable. */
export interface ProxyConfig {
  readonly upstreamUrl: string;
  /** The files with flags, one per environment; undefined: the flags come from an upstream. */
  readonly files: readonly FlagFile[] | undefined;
  /** One per upstream environment; empty only with files. */
  readonly upstreamTokens: readonly string[];
  readonly clientKeys: readonly string[];
  /** Whether a key in settings gives only flags of the project that its text names, as in Edge. */
  readonly limitsKeysToProject: boolean;
  /** The path of the file with additional keys. */
  readonly accessFile: string | undefined;
  /** Lets the upstream verify keys that no setting and no file contains; undefined: they are rejected. */
  readonly upstreamKeys: UpstreamKeysConfig | undefined;
  readonly clientKeysHeaderName: string;
  /** Tokens that allow server SDKs to read definitions. */
  readonly serverTokens: readonly string[];
  readonly port: number;
  readonly host: string | undefined;
  /** Empty, or with a leading slash and no trailing slash. */
  readonly basePath: string;
  readonly appName: string;
  readonly instanceId: string;
  readonly synchronization: Synchronization;
  readonly refreshIntervalMs: number;
  readonly metricsIntervalMs: number;
  readonly metricsJitterMs: number;
  /** The applications whose usage is counted by name in metrics; empty: usage of flags is not counted. */
  readonly usageMetricsApplications: readonly string[];
  /** Hashes user ids for evaluation events; undefined: events contain no id. */
  readonly evaluationIdKey: string | undefined;
  readonly usageSpool: UsageSpoolConfig;
  /** When set, clients cannot choose the environment of the context. */
  readonly environment: string | undefined;
  readonly projectName: string | undefined;
  readonly namePrefix: string | undefined;
  readonly tags: readonly Tag[];
  readonly logger: Logger;
  readonly trustProxy: TrustProxy;
  /** Names for endpoints that require no key, in addition to those that are always allowed. */
  readonly allowedHosts: readonly string[];
  readonly customStrategies: readonly CustomStrategy[];
  readonly contextEnrichers: readonly ContextEnricher[];
  readonly storageProvider: StorageProvider | undefined;
  /** Where flags are kept across restarts. */
  readonly store: StoreConfig | undefined;
  /** Whether replicas share flags, if the store can coordinate them. */
  readonly sharesFlags: boolean;
  readonly bootstrap: BootstrapConfig | undefined;
  readonly openApiEnabled: boolean;
  readonly enableAllEndpoint: boolean;
  /** Whether `/proxy/explain` is served. */
  readonly explainEnabled: boolean;
  /** The greatest age of flags with which the proxy is ready; undefined: any. */
  readonly maxStalenessMs: number | undefined;
  /** Whether responses have the age of the flags in a header. */
  readonly ageHeader: boolean;
  readonly ofrepEventStreams: boolean;
  readonly ofrepValues: OfrepValues;
  readonly push: PushConfig;
  /** Maximum number of open client connections, per process. */
  readonly maxConnections: number;
  readonly cors: CorsConfig;
  /** False: the upstream's certificate is not verified. */
  readonly rejectUnauthorized: boolean;
  readonly httpProxy: string | undefined;
  readonly httpsProxy: string | undefined;
  readonly noProxy: string | undefined;
  readonly network: NetworkConfig;
}
