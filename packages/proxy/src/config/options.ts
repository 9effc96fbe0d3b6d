import type { CustomStrategy } from "flags-engine";
import type { StorageProvider, Synchronization, Tag } from "flags-sdk";
import type { CustomLogger, LogLevel } from "flags-server-kit";
import type { ContextEnricher } from "../extensions.ts";
import type { OfrepValues, OriginFunction } from "./config.ts";

/** Cross-origin rules. Lists may be given as arrays or as comma-separated text. */
export interface CorsOptions {
  /**
   * Allowed request headers. If not set: those that SDKs send, and any that a preflight requests.
   * Environment: `CORS_ALLOWED_HEADERS`.
   */
  readonly allowedHeaders?: string | readonly string[] | undefined;
  /**
   * Allows browsers to send credentials. Environment: `CORS_CREDENTIALS`.
   * @default false
   */
  readonly credentials?: boolean | undefined;
  /**
   * Response headers that scripts can read. Environment: `CORS_EXPOSED_HEADERS`.
   * @default "ETag"
   */
  readonly exposedHeaders?: string | readonly string[] | undefined;
  /**
   * Seconds for which browsers may cache the response to a preflight. Environment: `CORS_MAX_AGE`.
   * @default 172800
   */
  readonly maxAge?: number | undefined;
  /**
   * Allowed methods. Environment: `CORS_METHODS`.
   * @default "GET, POST"
   */
  readonly methods?: string | readonly string[] | undefined;
  /**
   * Status of the response to a preflight, 200 to 299. Environment: `CORS_OPTIONS_SUCCESS_STATUS`.
   * @default 204
   */
  readonly optionsSuccessStatus?: number | undefined;
  /**
   * `*`, or the allowed origins. In code also: regular expressions, alone or in the list; `true` to allow the
   * origin of each request; `false` for no CORS headers; or a function `(origin, callback)` that calls
   * `callback(null, allowed)`. With a function, requests do not use the fast path, and the proxy handles far
   * fewer of them per second. Environment: `CORS_ORIGIN`.
   * @default "*"
   */
  readonly origin?:
    | string
    | boolean
    | RegExp
    | OriginFunction
    | readonly (string | RegExp)[]
    | undefined;
  /**
   * Passes preflights on to the routes instead of responding to them. Environment:
   * `CORS_PREFLIGHT_CONTINUE`.
   * @default false
   */
  readonly preflightContinue?: boolean | undefined;
}

/** Streams to clients. */
export interface PushOptions {
  /**
   * Maximum number of open streams; 0 disables `/proxy/stream`. Environment:
   * `FLAGS_PUSH_MAX_STREAMS`.
   * @default 10000
   */
  readonly maxStreams?: number | undefined;
  /**
   * Maximum number of open streams per client key. Environment:
   * `FLAGS_PUSH_MAX_STREAMS_PER_KEY`.
   * @default `maxStreams` with one key, otherwise half of it
   */
  readonly maxStreamsPerKey?: number | undefined;
  /**
   * Memory limit for the contexts of all open streams, in bytes. Environment:
   * `FLAGS_PUSH_MAX_CONTEXT_BYTES`.
   * @default 67108864
   */
  readonly maxContextBytes?: number | undefined;
  /**
   * Maximum age of a stream in seconds. Environment: `FLAGS_PUSH_MAX_AGE`.
   * @default 1800
   */
  readonly maxAge?: number | undefined;
  /**
   * Secret that encrypts the context in stream URLs; must be the same for all replicas. Environment:
   * `FLAGS_PUSH_SECRET`.
   * @default the upstream token; random if the flags come from files
   */
  readonly secret?: string | undefined;
}

/** Tokens that the upstream has issued, as keys of clients. */
export interface UpstreamKeysOptions {
  /**
   * Accepts them: the upstream verifies each token when it is first used. Environment:
   * `FLAGS_UPSTREAM_KEYS`.
   * @default false
   */
  readonly enabled?: boolean | undefined;
  /**
   * Milliseconds within which a revoked token is rejected. Environment: `FLAGS_UPSTREAM_KEYS_INTERVAL`.
   * @default 60000
   */
  readonly interval?: number | undefined;
  /**
   * Milliseconds for which the last verification of a token counts while the upstream fails or is slow; at most
   * 7 days. Environment: `FLAGS_UPSTREAM_KEYS_MAX_AGE`.
   * @default 604800000
   */
  readonly maxAge?: number | undefined;
}

/** Connections to the upstream. */
export interface HttpOptions {
  /**
   * Rejects an upstream whose certificate cannot be verified. Environment:
   * `HTTP_OPTIONS_REJECT_UNAUTHORIZED`.
   * @default true
   */
  readonly rejectUnauthorized?: boolean | undefined;
  /**
   * Path of a PEM file with certificates of CAs to trust, in addition to those that Node trusts. Environment:
   * `FLAGS_UPSTREAM_CA_FILE`.
   */
  readonly caFile?: string | undefined;
  /** Path of a PEM file with a client certificate. Environment: `FLAGS_UPSTREAM_CERT_FILE`. */
  readonly certFile?: string | undefined;
  /** Path of a PEM file with its private key. Environment: `FLAGS_UPSTREAM_KEY_FILE`. */
  readonly keyFile?: string | undefined;
  /**
   * Headers added to every request, as an object or as strings such as `Name: value`. Environment:
   * `FLAGS_UPSTREAM_HEADERS`, separated by commas or line breaks.
   * @default {}
   */
  readonly headers?: Readonly<Record<string, string>> | string | readonly string[] | undefined;
  /**
   * Milliseconds that a whole request may take. Environment: `FLAGS_UPSTREAM_TIMEOUT`.
   * @default 10000
   */
  readonly timeout?: number | undefined;
}

/** TLS for clients. Has no effect on `createApp()`. */
export interface TlsOptions {
  /**
   * Path of a PEM file with the certificate chain; enables TLS. Renewed files are read without a
   * restart. Environment: `FLAGS_TLS_CERT_FILE`.
   */
  readonly certFile?: string | undefined;
  /** Path of a PEM file with its private key. Environment: `FLAGS_TLS_KEY_FILE`. */
  readonly keyFile?: string | undefined;
  /**
   * Port for TLS, 0 to 65535; 0 chooses a free one. `port` then serves plain HTTP. Not set: `port`
   * serves TLS. Environment: `FLAGS_TLS_PORT`.
   */
  readonly port?: number | undefined;
  /**
   * Redirects requests from the plain-HTTP port to the TLS port. Environment: `FLAGS_TLS_REDIRECT`.
   * @default false
   */
  readonly redirect?: boolean | undefined;
  /**
   * Path of a PEM file with certificates of CAs: clients need a certificate that one of them has signed.
   * Environment: `FLAGS_TLS_CLIENT_CA_FILE`.
   */
  readonly clientCaFile?: string | undefined;
}

/** A separate port for metrics and operations. Has no effect on `createApp()`. */
export interface ManagementOptions {
  /** 0 to 65535; 0 chooses a free one. Environment: `FLAGS_MANAGEMENT_PORT`. @default no separate port */
  readonly port?: number | undefined;
  /** Address to listen on. Environment: `FLAGS_MANAGEMENT_HOST`. @default the value of `host` */
  readonly host?: string | undefined;
}

/** Experimental: the source of flags until the upstream responds. */
export interface BootstrapOptions {
  /** An http or https URL. Environment: `EXP_BOOTSTRAP_URL`. */
  readonly url?: string | undefined;
  /** Request headers. Environment: `EXP_BOOTSTRAP_AUTHORIZATION` for `Authorization`. */
  readonly urlHeaders?: Readonly<Record<string, string>> | undefined;
}

/** Serving definitions to server SDKs and other proxies. */
export interface ServerSideSdkOptions {
  /** Tokens that allow reading definitions. Environment: `EXP_SERVER_SIDE_SDK_CONFIG_TOKENS`. */
  readonly tokens?: string | readonly string[] | undefined;
}

/** The option names of the Unleash proxy. Ours take precedence. */
interface OldProxyOptions {
  /** @deprecated Use `flagsUrl`. */
  readonly unleashUrl?: string | undefined;
  /** @deprecated Use `flagsApiToken`. */
  readonly unleashApiToken?: string | readonly string[] | undefined;
  /** @deprecated Use `flagsAppName`. */
  readonly unleashAppName?: string | undefined;
  /** @deprecated Use `flagsInstanceId`. */
  readonly unleashInstanceId?: string | undefined;
}

/**
 * Options of the proxy. An option takes precedence over its environment variable, which takes
 * precedence over the default. `0`, `false` and an empty list are values; `undefined` is not.
 */
export interface ProxyOptions extends OldProxyOptions {
  /**
   * Required. URL of the upstream API (http or https) or of files with flags, such as `file:./flags.json`.
   * Environment: `FLAGS_URL`.
   */
  readonly flagsUrl?: string | undefined;
  /**
   * Required, except with files. Backend token for the upstream, or one for each environment to serve.
   * Environment: `FLAGS_API_TOKEN`, a comma-separated list.
   */
  readonly flagsApiToken?: string | readonly string[] | undefined;
  /**
   * Required without `accessFile` or `upstreamKeys`. Keys that clients can use. Environment: `FLAGS_PROXY_CLIENT_KEYS`.
   */
  readonly clientKeys?: string | readonly string[] | undefined;
  /** Path of a file with additional keys and their permissions. Environment: `FLAGS_ACCESS_FILE`. */
  readonly accessFile?: string | undefined;
  /** Tokens that the upstream has issued, as keys of clients. */
  readonly upstreamKeys?: UpstreamKeysOptions | undefined;
  /**
   * Previous name of `clientKeys`. Has no effect if that is set. Environment:
   * `FLAGS_PROXY_SECRETS`.
   * @deprecated Use `clientKeys`.
   */
  readonly proxySecrets?: string | readonly string[] | undefined;
  /**
   * Port that `start()` listens on, 0 to 65535; 0 chooses a free one. Environment: `PORT`, or
   * `PROXY_PORT` if that is not set.
   * @default 3000
   */
  readonly port?: number | undefined;
  /**
   * Maximum number of open client connections. Not set: `push.maxStreams` + 10000, or less if the
   * process cannot open that many files. Environment:
   * `FLAGS_MAX_CONNECTIONS`.
   */
  readonly maxConnections?: number | undefined;
  /** Address that `start()` listens on. Not set: all addresses. Environment: `HOST`. */
  readonly host?: string | undefined;
  /**
   * Path prefix of all endpoints: `base/path` gives `/base/path/proxy`. Environment: `PROXY_BASE_PATH`.
   * @default ""
   */
  readonly proxyBasePath?: string | undefined;
  /**
   * Application name sent upstream. Environment: `FLAGS_APP_NAME`.
   * @default "flags-proxy"
   */
  readonly flagsAppName?: string | undefined;
  /** Instance id sent upstream. Not set: generated. Environment: `FLAGS_INSTANCE_ID`. */
  readonly flagsInstanceId?: string | undefined;
  /**
   * How to receive changes from the upstream. If `delta` or `streaming` fails, the proxy polls. Environment:
   * `FLAGS_SYNCHRONIZATION`.
   * @default "polling"
   */
  readonly synchronization?: Synchronization | undefined;
  /**
   * Milliseconds between upstream polls; 0 fetches once. Environment: `FLAGS_FETCH_INTERVAL`.
   * @default 5000
   */
  readonly refreshInterval?: number | undefined;
  /**
   * Milliseconds between usage reports to the upstream; 0 disables them. Environment: `FLAGS_METRICS_INTERVAL`.
   * @default 30000
   */
  readonly metricsInterval?: number | undefined;
  /**
   * Maximum random delay in milliseconds that is added to each interval between usage reports. Environment:
   * `FLAGS_METRICS_JITTER`.
   * @default 0
   */
  readonly metricsJitter?: number | undefined;
  /**
   * Names of applications whose usage of each flag is counted in the metric
   * `flags_proxy_flag_usage_total`. The usage of all other applications counts as `other`.
   * Environment: `FLAGS_USAGE_METRICS_APPLICATIONS`.
   *
   * @default [] (usage is not counted)
   */
  readonly usageMetricsApplications?: string | readonly string[] | undefined;
  /**
   * Directory that keeps accepted usage, impact metrics and registrations until they are delivered.
   * Environment: `FLAGS_USAGE_SPOOL`.
   * @default none: they are lost when the process is killed
   */
  readonly usageSpool?: string | undefined;
  /**
   * Disk space for the usage of each environment, in bytes. Environment: `FLAGS_USAGE_SPOOL_MAX_BYTES`.
   * @default 134217728
   */
  readonly usageSpoolMaxBytes?: number | undefined;
  /** Value of the field `environment` in every context. Clients cannot change it. Environment: `FLAGS_ENVIRONMENT`. */
  readonly environment?: string | undefined;
  /** Only flags of this project are requested. Environment: `FLAGS_PROJECT_NAME`. */
  readonly projectName?: string | undefined;
  /** Logger to use instead of the built-in one: any object with the methods of `console`. */
  readonly logger?: CustomLogger | undefined;
  /**
   * Writes one line of JSON per message. Has no effect on a custom `logger`. Environment:
   * `JSON_LOGGER`.
   * @default false
   */
  readonly useJsonLogger?: boolean | undefined;
  /**
   * Lowest level that is logged. Has no effect on a custom `logger`. Environment:
   * `LOG_LEVEL`.
   * @default "warn"
   */
  readonly logLevel?: LogLevel | undefined;
  /**
   * Strategies, and paths of files that export lists of them. Environment:
   * `FLAGS_CUSTOM_STRATEGIES_FILE`, a comma-separated list of paths.
   * @default []
   */
  readonly customStrategies?: readonly (CustomStrategy | string)[] | undefined;
  /**
   * Which `X-Forwarded-*` and `Forwarded` headers are trusted: all (`true`), none (`false`), those of a number of
   * proxies in front of this one, or those from a list of IP addresses and CIDR ranges.
   * Environment: `TRUST_PROXY`.
   * @default false
   */
  readonly trustProxy?: boolean | number | string | readonly string[] | undefined;
  /**
   * Host names, without ports, under which endpoints that require no key can be reached, such as the metrics. Always
   * allowed: `host`, `localhost`, loopback addresses and, unless `host` is a loopback address, all IP addresses.
   * Environment: `ALLOWED_HOSTS`.
   * @default []
   */
  readonly allowedHosts?: string | readonly string[] | undefined;
  /** Only flags whose names start with this prefix are requested. Environment: `FLAGS_NAME_PREFIX`. */
  readonly namePrefix?: string | undefined;
  /**
   * Only flags with these tags are requested. Environment: `FLAGS_TAGS`, as
   * `name:value,name2:value2`.
   */
  readonly tags?: string | readonly Tag[] | undefined;
  /**
   * Name of the header that contains the client key. Environment: `CLIENT_KEY_HEADER_NAME`.
   * @default "authorization"
   */
  readonly clientKeysHeaderName?: string | undefined;
  /**
   * URL of a store that keeps flags across restarts, such as `file:/var/lib/flags`, `redis://cache:6379` or
   * `s3://bucket/prefix`. Environment: `FLAGS_STORE`.
   */
  readonly store?: string | undefined;
  /** Password for Redis, instead of one in `store`. Environment: `FLAGS_STORE_PASSWORD`. */
  readonly storePassword?: string | undefined;
  /**
   * Path of a PEM file with certificates of CAs to trust for Redis with TLS (`rediss`) and for S3, in addition to
   * those that Node trusts. Environment: `FLAGS_STORE_CA_FILE`.
   */
  readonly storeCaFile?: string | undefined;
  /**
   * With Redis as the store: whether only one of the replicas follows the upstream, and the others get its
   * flags. Environment: `FLAGS_SHARED_POLLING`.
   * @default true
   */
  readonly sharedPolling?: boolean | undefined;
  /**
   * Your own storage that keeps flags across restarts, instead of `store`. Not set: in memory only.
   */
  readonly storageProvider?: StorageProvider | undefined;
  /**
   * Serves the OpenAPI document and its UI. Environment: `ENABLE_OAS`.
   * @default false
   */
  readonly enableOAS?: boolean | undefined;
  /**
   * Serves `/proxy/all` and its equivalents in the other APIs. Environment: `ENABLE_ALL_ENDPOINT`.
   * @default false
   */
  readonly enableAllEndpoint?: boolean | undefined;
  /**
   * Serves `/proxy/explain`, which says why a flag is on or off for a context. It requires a server token,
   * or a key with `explain` in the access file. Environment: `ENABLE_EXPLAIN`.
   * @default false
   */
  readonly enableExplain?: boolean | undefined;
  /**
   * Maximum age of the flags in milliseconds, beyond which `GET /ready` returns 503. Not set: any.
   * Environment: `FLAGS_MAX_STALENESS`.
   */
  readonly maxStaleness?: number | undefined;
  /**
   * Adds the age of the flags to responses to clients, in the header `X-Flags-Age-Seconds`. Definitions always have it.
   * Environment: `FLAGS_AGE_HEADER`.
   * @default false
   */
  readonly ageHeader?: boolean | undefined;
  /**
   * Announces an event stream to OpenFeature clients, which notifies them when to fetch flags again.
   * Environment:
   * `OFREP_EVENT_STREAMS`.
   * @default false
   */
  readonly ofrepEventStreams?: boolean | undefined;
  /**
   * The value of a flag for OpenFeature clients: whether the flag is on, or the payload of its
   * variant, if it has one. Environment: `OFREP_VALUES`.
   * @default "boolean"
   */
  readonly ofrepValues?: OfrepValues | undefined;
  /** Streams to clients. */
  readonly push?: PushOptions | undefined;
  /** Cross-origin rules. */
  readonly cors?: CorsOptions | undefined;
  /** Connections to the upstream. */
  readonly httpOptions?: HttpOptions | undefined;
  /** TLS for clients. */
  readonly tls?: TlsOptions | undefined;
  /** A separate port for metrics and operations. */
  readonly management?: ManagementOptions | undefined;
  /**
   * IP addresses and CIDR ranges that may send requests; others get a 403. Not set: all. Environment:
   * `FLAGS_ALLOW_LIST`.
   */
  readonly allowList?: string | readonly string[] | undefined;
  /**
   * IP addresses and CIDR ranges whose requests get a 403. Environment: `FLAGS_DENY_LIST`.
   */
  readonly denyList?: string | readonly string[] | undefined;
  /** Experimental: the source of flags until the upstream responds. */
  readonly expBootstrap?: BootstrapOptions | undefined;
  /** Serving definitions to server SDKs and other proxies. */
  readonly expServerSideSdkConfig?: ServerSideSdkOptions | undefined;
  /**
   * Experimental: functions that complete the context of a request, and paths of files that export
   * lists of them. Environment: `EXP_CUSTOM_ENRICHERS_FILE`, the path of one file.
   * @default []
   */
  readonly expCustomEnrichers?: readonly (ContextEnricher | string)[] | undefined;
}

type Group =
  | "upstreamKeys"
  | "cors"
  | "push"
  | "httpOptions"
  | "tls"
  | "management"
  | "expBootstrap"
  | "expServerSideSdkConfig";

/** Full names of all options: options in a group have the group as a prefix, separated by a dot. */
export type OptionName =
  | Exclude<keyof ProxyOptions, Group | keyof OldProxyOptions>
  | { [Name in Group]: `${Name}.${keyof NonNullable<ProxyOptions[Name]> & string}` }[Group]
  | "expBootstrap.urlHeaders.Authorization";
