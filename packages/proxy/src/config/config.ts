import type { CustomStrategy } from "flags-engine";
import type { StorageProvider, Synchronization } from "flags-sdk";
import type { Logger, TrustProxy } from "flags-server-kit";
import type { ContextEnricher } from "../extensions/enricher.ts";

/** Decides about an origin, as in `@fastify/cors`: by a callback, or by a promise. */
export type OriginFunction = (
  origin: string | undefined,
  callback: (error: Error | null, allowed: string | boolean | RegExp | (string | RegExp)[]) => void,
) => void;

/**
 * `*`, the origins allowed, or what only code can set: true for the origin of each request, false
 * for no CORS headers, patterns, or a function.
 */
export type CorsOrigin = "*" | boolean | RegExp | OriginFunction | readonly (string | RegExp)[];

/** Cross-origin rules, as browsers see them. */
export interface CorsConfig {
  /** Undefined: every header a preflight asks for is allowed, and the ones SDKs send are named. */
  readonly allowedHeaders: readonly string[] | undefined;
  readonly credentials: boolean;
  readonly exposedHeaders: readonly string[];
  readonly maxAgeSeconds: number;
  readonly methods: readonly string[];
  readonly optionsSuccessStatus: number;
  readonly origin: CorsOrigin;
  readonly preflightContinue: boolean;
}

/** The possible values of a flag in OFREP. */
export const OFREP_VALUES = ["boolean", "payload"] as const;

/**
 * `boolean`: whether the flag is on. `payload`: the payload of its variant if it has one, or else the
 * same. The protocol has one value for a flag, and does not say which type the caller expects.
 */
export type OfrepValues = (typeof OFREP_VALUES)[number];

/** Where flags come from before the upstream has answered. */
export interface BootstrapConfig {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Streams to clients. */
export interface PushConfig {
  /** Most streams that may be open at a time; 0 disables streams. */
  readonly maxStreams: number;
  /** The same for one client key; undefined for a share that depends on the number of keys. */
  readonly maxStreamsPerKey: number | undefined;
  /** Memory for the contexts of all open streams. */
  readonly maxContextBytes: number;
  readonly maxAgeSeconds: number;
  /** Encrypts the addresses of streams; undefined for the upstream token. */
  readonly secret: string | undefined;
}

/** Everything the proxy was told, checked and with defaults filled in. Never changes. */
export interface ProxyConfig {
  readonly upstreamUrl: string;
  readonly upstreamToken: string;
  readonly clientKeys: readonly string[];
  readonly clientKeysHeaderName: string;
  /** Tokens with which server SDKs may read definitions. */
  readonly serverTokens: readonly string[];
  readonly port: number;
  readonly host: string | undefined;
  /** Empty, or with a leading and without a trailing slash. */
  readonly basePath: string;
  readonly appName: string;
  readonly instanceId: string;
  readonly synchronization: Synchronization;
  readonly refreshIntervalMs: number;
  readonly metricsIntervalMs: number;
  readonly metricsJitterMs: number;
  /** When set, clients cannot choose the environment of the context. */
  readonly environment: string | undefined;
  readonly projectName: string | undefined;
  readonly namePrefix: string | undefined;
  readonly tags: readonly { readonly name: string; readonly value: string }[];
  readonly logger: Logger;
  readonly trustProxy: TrustProxy;
  readonly customStrategies: readonly CustomStrategy[];
  readonly contextEnrichers: readonly ContextEnricher[];
  readonly storageProvider: StorageProvider | undefined;
  readonly bootstrap: BootstrapConfig | undefined;
  readonly openApiEnabled: boolean;
  readonly allEndpointEnabled: boolean;
  readonly ofrepEventStreams: boolean;
  readonly ofrepValues: OfrepValues;
  readonly push: PushConfig;
  /** Client connections that may be open at a time, per process. */
  readonly maxConnections: number;
  readonly cors: CorsConfig;
  /** False: certificates of the upstream are not verified. */
  readonly rejectUnauthorized: boolean;
  readonly httpProxy: string | undefined;
  readonly httpsProxy: string | undefined;
  readonly noProxy: string | undefined;
}
