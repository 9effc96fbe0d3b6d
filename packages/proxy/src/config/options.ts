import type { CustomStrategy } from "flags-engine";
import type { StorageProvider, Synchronization } from "flags-sdk";
import type { CustomLogger, LogLevel } from "flags-server-kit";
import type { OfrepValues } from "./config.ts";
import type { ContextEnricher } from "../extensions/enricher.ts";
import type { OriginFunction } from "./config.ts";

/** Cross-origin rules. Lists may be given as arrays or as comma-separated text. */
export interface CorsOptions {
  /**
   * Request headers allowed. Not set: the ones that SDKs send, and whatever a preflight asks for.
   * Environment: `CORS_ALLOWED_HEADERS`.
   */
  readonly allowedHeaders?: string | readonly string[] | undefined;
  /**
   * Lets browsers send credentials. Environment: `CORS_CREDENTIALS`.
   * @default false
   */
  readonly credentials?: boolean | undefined;
  /**
   * Response headers that scripts may read. Environment: `CORS_EXPOSED_HEADERS`.
   * @default "ETag"
   */
  readonly exposedHeaders?: string | readonly string[] | undefined;
  /**
   * Seconds for which a preflight answer may be kept. Environment: `CORS_MAX_AGE`.
   * @default 172800
   */
  readonly maxAge?: number | undefined;
  /**
   * Methods allowed. Environment: `CORS_METHODS`.
   * @default "GET, POST"
   */
  readonly methods?: string | readonly string[] | undefined;
  /**
   * Status of an answered preflight, 200 to 299. Environment: `CORS_OPTIONS_SUCCESS_STATUS`.
   * @default 204
   */
  readonly optionsSuccessStatus?: number | undefined;
  /**
   * `*`, or the origins allowed. In code also: regular expressions, alone or in the list; `true` for
   * the origin of each request; `false` for no CORS headers; or a function `(origin, callback)` that
   * calls `callback(null, allowed)`. All of these are slower than `*` and lists of texts, because
   * requests then do not take the fast path. Environment: `CORS_ORIGIN`.
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
   * Passes preflights on to the routes instead of answering them. Environment:
   * `CORS_PREFLIGHT_CONTINUE`.
   * @default false
   */
  readonly preflightContinue?: boolean | undefined;
}

/** Streams to clients. */
export interface PushOptions {
  /**
   * Most streams that may be open at a time; 0 disables `/proxy/stream`. Environment:
   * `FLAGS_PUSH_MAX_STREAMS`.
   * @default 10000
   */
  readonly maxStreams?: number | undefined;
  /**
   * Most streams that one client key may have open at a time. Environment:
   * `FLAGS_PUSH_MAX_STREAMS_PER_KEY`.
   * @default `maxStreams` with one client key, half of it with several
   */
  readonly maxStreamsPerKey?: number | undefined;
  /**
   * Memory for the contexts of all open streams, in bytes. Environment:
   * `FLAGS_PUSH_MAX_CONTEXT_BYTES`.
   * @default 67108864
   */
  readonly maxContextBytes?: number | undefined;
  /**
   * Seconds after which a stream is ended at the latest. Environment: `FLAGS_PUSH_MAX_AGE`.
   * @default 1800
   */
  readonly maxAge?: number | undefined;
  /**
   * Secret that encrypts the addresses of streams; the same for all replicas. Environment:
   * `FLAGS_PUSH_SECRET`.
   * @default the upstream token
   */
  readonly secret?: string | undefined;
}

/** How connections to the upstream are made. */
export interface HttpOptions {
  /**
   * Refuses an upstream whose certificate cannot be verified. Environment:
   * `HTTP_OPTIONS_REJECT_UNAUTHORIZED`.
   * @default true
   */
  readonly rejectUnauthorized?: boolean | undefined;
}

/** Experimental: where flags come from before the upstream has answered. */
export interface BootstrapOptions {
  /** An http or https address. Environment: `EXP_BOOTSTRAP_URL`. */
  readonly url?: string | undefined;
  /** Headers sent there. Environment: `EXP_BOOTSTRAP_AUTHORIZATION` for `Authorization`. */
  readonly urlHeaders?: Readonly<Record<string, string>> | undefined;
}

/** Experimental: serving definitions to server SDKs and other proxies. */
export interface ServerSideSdkOptions {
  /** Tokens that may read definitions. Environment: `EXP_SERVER_SIDE_SDK_CONFIG_TOKENS`. */
  readonly tokens?: string | readonly string[] | undefined;
}

/**
 * What the proxy can be told in code. An option that is set beats its environment variable, which
 * beats the default; `0`, `false` and an empty list are values. `undefined` counts as not set.
 */
export interface ProxyOptions {
  /** Required. Address of the upstream API, http or https. Environment: `FLAGS_URL`. */
  readonly flagsUrl?: string | undefined;
  /** Required. Client API token for the upstream. Environment: `FLAGS_API_TOKEN`. */
  readonly flagsApiToken?: string | undefined;
  /** Required. Keys that clients may use. Environment: `FLAGS_PROXY_CLIENT_KEYS`. */
  readonly clientKeys?: string | readonly string[] | undefined;
  /**
   * Former name of `clientKeys`, without effect when that is set. Environment:
   * `FLAGS_PROXY_SECRETS`.
   * @deprecated Use `clientKeys`.
   */
  readonly proxySecrets?: string | readonly string[] | undefined;
  /**
   * Port that `start()` listens on, 0 to 65535; 0 takes any free one. Environment: `PORT`, or
   * `PROXY_PORT` when that is not set.
   * @default 3000
   */
  readonly port?: number | undefined;
  /**
   * Client connections that may be open at a time. Not set: `push.maxStreams` + 10000, or as many as
   * the limit of open files of the process allows if that is less. Environment:
   * `FLAGS_MAX_CONNECTIONS`.
   */
  readonly maxConnections?: number | undefined;
  /** Address that `start()` listens on. Not set: all addresses. Environment: `HOST`. */
  readonly host?: string | undefined;
  /**
   * Path before `/proxy`: `base/path` gives `/base/path/proxy`. Environment: `PROXY_BASE_PATH`.
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
   * How to keep up with the upstream; polling stands in where the rest does not work. Environment:
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
   * Milliseconds between metrics reports; 0 sends none. Environment: `FLAGS_METRICS_INTERVAL`.
   * @default 30000
   */
  readonly metricsInterval?: number | undefined;
  /**
   * Milliseconds of random delay added to the metrics interval at most. Environment:
   * `FLAGS_METRICS_JITTER`.
   * @default 0
   */
  readonly metricsJitter?: number | undefined;
  /** Environment of every context; clients cannot change it. Environment: `FLAGS_ENVIRONMENT`. */
  readonly environment?: string | undefined;
  /** Only flags of this project are known. Environment: `FLAGS_PROJECT_NAME`. */
  readonly projectName?: string | undefined;
  /** Logger to use instead of the built-in one; any console-like object will do. */
  readonly logger?: CustomLogger | undefined;
  /**
   * Writes one line of JSON per message. Without effect on a `logger` of your own. Environment:
   * `JSON_LOGGER`.
   * @default false
   */
  readonly useJsonLogger?: boolean | undefined;
  /**
   * Least severe level that is written. Without effect on a `logger` of your own. Environment:
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
   * Whose `X-Forwarded-*` headers are trusted: everyone's (`true`), nobody's (`false`), those of that
   * many proxies in front of this one (a number), or those of these IP addresses and CIDR ranges.
   * Environment: `TRUST_PROXY`.
   * @default false
   */
  readonly trustProxy?: boolean | number | string | readonly string[] | undefined;
  /** Only flags whose name starts so are asked for. Environment: `FLAGS_NAME_PREFIX`. */
  readonly namePrefix?: string | undefined;
  /**
   * Only flags with these tags are asked for. Environment: `FLAGS_TAGS`, as
   * `name:value,name2:value2`.
   */
  readonly tags?: string | readonly { readonly name: string; readonly value: string }[] | undefined;
  /**
   * Header that carries the client key. Environment: `CLIENT_KEY_HEADER_NAME`.
   * @default "authorization"
   */
  readonly clientKeysHeaderName?: string | undefined;
  /** Where flags are kept across restarts. Not set: in memory only. */
  readonly storageProvider?: StorageProvider | undefined;
  /**
   * Serves the OpenAPI document and its UI. Environment: `ENABLE_OAS`.
   * @default false
   */
  readonly enableOAS?: boolean | undefined;
  /**
   * Serves `/proxy/all`, and the like of the other APIs. Environment: `ENABLE_ALL_ENDPOINT`.
   * @default false
   */
  readonly enableAllEndpoint?: boolean | undefined;
  /**
   * Tells OpenFeature clients of a stream on which they hear when to ask again. Environment:
   * `OFREP_EVENT_STREAMS`.
   * @default false
   */
  readonly ofrepEventStreams?: boolean | undefined;
  /**
   * What the value of a flag is to OpenFeature clients: whether it is on, or the payload of its
   * variant where there is one. Environment: `OFREP_VALUES`.
   * @default "boolean"
   */
  readonly ofrepValues?: OfrepValues | undefined;
  /** Streams to clients. */
  readonly push?: PushOptions | undefined;
  /** Cross-origin rules. */
  readonly cors?: CorsOptions | undefined;
  /** How connections to the upstream are made. */
  readonly httpOptions?: HttpOptions | undefined;
  /** Experimental: where flags come from before the upstream has answered. */
  readonly expBootstrap?: BootstrapOptions | undefined;
  /** Experimental: serving definitions to server SDKs and other proxies. */
  readonly expServerSideSdkConfig?: ServerSideSdkOptions | undefined;
  /**
   * Experimental: functions that complete the context of a request, and paths of files that export
   * lists of them. Environment:
   * `EXP_CUSTOM_ENRICHERS_FILE`, the path of one file.
   * @default []
   */
  readonly expCustomEnrichers?: readonly (ContextEnricher | string)[] | undefined;
}

type Group = "cors" | "push" | "httpOptions" | "expBootstrap" | "expServerSideSdkConfig";

/** Full name of every single option, groups written with a dot. */
export type OptionName =
  | Exclude<keyof ProxyOptions, Group>
  | `cors.${keyof CorsOptions}`
  | `push.${keyof PushOptions}`
  | `httpOptions.${keyof HttpOptions}`
  | `expBootstrap.${keyof BootstrapOptions}`
  | "expBootstrap.urlHeaders.Authorization"
  | `expServerSideSdkConfig.${keyof ServerSideSdkOptions}`;
