// The settings of Unleash Edge 19 and 20. NOTE: not HOSTNAME, which most shells and containers set.

import type { Environment } from "flags-server-kit/command-line";
import type { Alias, Conversion, Missing } from "./alias.ts";
import {
  asBoolean,
  asBucket,
  asFileStore,
  fromLogFormat,
  fromRustLog,
  fromSeconds,
  isFalse,
  isTrue,
  negated,
  pretrustedTokens,
  tlsPort,
  toFlagFilesAddress,
  trustedServers,
  withApiPath,
} from "./conversions.ts";
import { REDIS_SETTINGS } from "./redis-conversions.ts";

type Details = Omit<Alias, "name" | "to" | "group" | "missing" | "description">;

const unneeded = (reason: string): Missing => ({ effect: "unneeded", reason });
const lost = (reason: string): Missing => ({ effect: "lost", reason });
const refused = (reason: string): Missing => ({ effect: "refused", reason });

const DEAD = unneeded("Edge 20 does not read it either");
const onlyWith = (name: string): Missing => unneeded(`it is used only with ${name}`);

const hasTls = (_text: string, { TLS_ENABLE = "" }: Environment): boolean => isTrue(TLS_ENABLE);
const trustsProxies = (_text: string, { TRUST_PROXY = "" }: Environment): boolean =>
  isTrue(TRUST_PROXY);

/** NOTE: Edge listens on `PORT` only to redirect. */
const ONLY_TLS: Details = {
  toInstead: {
    condition: "without `REDIRECT_HTTP_TO_HTTPS`",
    to: ["PORT"],
    isMet: ({ REDIRECT_HTTP_TO_HTTPS = "", FLAGS_TLS_REDIRECT = "", FLAGS_TLS_PORT = "" }) =>
      ![REDIRECT_HTTP_TO_HTTPS, FLAGS_TLS_REDIRECT].some((text) => isTrue(text.trim())) &&
      FLAGS_TLS_PORT.trim() === "",
  },
  replaces: "PORT",
};

/** NOTE: Edge compares the lists with the address of the connection, even if it trusts proxies. */
const ADDRESS_LIST: Details = {
  loss: "with TRUST_PROXY, the addresses are those of clients, not of load balancers as in Edge",
  hasLoss: ({ TRUST_PROXY = "" }) => TRUST_PROXY.trim() !== "" && !isFalse(TRUST_PROXY.trim()),
};

/** There is no upstream in the offline mode, and every token may be used for everything. */
const UPSTREAM_TOKENS: Details = {
  isList: true,
  toInstead: {
    condition: "with `BOOTSTRAP_FILE`",
    to: ["FLAGS_PROXY_CLIENT_KEYS", "EXP_SERVER_SIDE_SDK_CONFIG_TOKENS"],
    isMet: ({ BOOTSTRAP_FILE = "" }) => BOOTSTRAP_FILE.trim() !== "",
  },
};

const always = (value: string): Conversion => ({
  description: `\`${value}\``,
  convert: () => value,
});

/** A setting: its name, our variables or why there are none, and details. */
type Row = readonly [name: string, to: string | readonly string[] | Missing, details?: Details];

/** The settings by the headings under which documents list them. */
const ROWS: Readonly<Record<string, readonly Row[]>> = {
  Listening: [
    ["PORT", "PORT"],
    ["INTERFACE", "HOST"],
    ["BASE_PATH", "PROXY_BASE_PATH"],
    ["WORKERS", unneeded(`${DEAD.reason}; FLAGS_PROXY_WORKERS starts processes`)],
    ["TLS_SERVER_CERT", "FLAGS_TLS_CERT_FILE", { isActive: hasTls }],
    ["TLS_SERVER_KEY", "FLAGS_TLS_KEY_FILE", { isActive: hasTls }],
    ["TLS_SERVER_PORT", "FLAGS_TLS_PORT", { ...ONLY_TLS, isActive: hasTls }],
    ["TLS_ENABLE", "FLAGS_TLS_PORT", { ...ONLY_TLS, conversion: tlsPort, isActive: isTrue }],
    ["REDIRECT_HTTP_TO_HTTPS", "FLAGS_TLS_REDIRECT", { conversion: asBoolean, isActive: hasTls }],
    ["EDGE_REQUEST_TIMEOUT", DEAD],
    ["EDGE_KEEPALIVE_TIMEOUT", DEAD],
    ["ALLOW_LIST", "FLAGS_ALLOW_LIST", ADDRESS_LIST],
    ["DENY_LIST", "FLAGS_DENY_LIST", ADDRESS_LIST],
    [
      "PROXY_TRUSTED_SERVERS",
      "TRUST_PROXY",
      { conversion: trustedServers, isActive: trustsProxies, replaces: "TRUST_PROXY" },
    ],
    ["TRUST_PROXY", "TRUST_PROXY"],
  ],
  Clients: [
    ["EDGE_AUTH_HEADER", "CLIENT_KEY_HEADER_NAME"],
    [
      "TOKEN_HEADER",
      "CLIENT_KEY_HEADER_NAME",
      {
        loss: "the upstream token is still sent in Authorization",
        hasLoss: ({ TOKEN_HEADER = "" }) => TOKEN_HEADER.trim().toLowerCase() !== "authorization",
      },
    ],
    [
      "PRETRUSTED_TOKENS",
      "FLAGS_PROXY_CLIENT_KEYS",
      { conversion: pretrustedTokens, isList: true },
    ],
    [
      "STRICT",
      unneeded(
        "tokens of environments without an upstream token are rejected, as with STRICT=true",
      ),
      { isActive: isTrue },
    ],
    ["DYNAMIC", lost("the environments are those of the upstream tokens"), { isActive: isTrue }],
    [
      "TOKEN_REVALIDATION_INTERVAL_SECONDS",
      "FLAGS_UPSTREAM_KEYS_INTERVAL",
      { conversion: fromSeconds },
    ],
    [
      "EDGE_DEFER_TOKEN_VALIDATION",
      unneeded("requests wait until the upstream has verified their token"),
    ],
    ["DISABLE_ALL_ENDPOINT", "ENABLE_ALL_ENDPOINT", { conversion: negated }],
    ["CORS_ORIGIN", "CORS_ORIGIN"],
    ["CORS_ALLOWED_HEADERS", "CORS_ALLOWED_HEADERS"],
    ["CORS_METHODS", "CORS_METHODS"],
    ["CORS_EXPOSED_HEADERS", "CORS_EXPOSED_HEADERS"],
    ["CORS_MAX_AGE", "CORS_MAX_AGE"],
  ],
  Upstream: [
    ["UPSTREAM_URL", "FLAGS_URL", { conversion: withApiPath }],
    ["TOKENS", ["FLAGS_API_TOKEN", "EXP_SERVER_SIDE_SDK_CONFIG_TOKENS"], UPSTREAM_TOKENS],
    ["FEATURES_REFRESH_INTERVAL_SECONDS", "FLAGS_FETCH_INTERVAL", { conversion: fromSeconds }],
    ["STREAMING", "FLAGS_SYNCHRONIZATION", { conversion: always("streaming"), isActive: isTrue }],
    ["DELTA", "FLAGS_SYNCHRONIZATION", { conversion: always("delta"), isActive: isTrue }],
    ["APP_NAME", "FLAGS_APP_NAME"],
    ["INSTANCE_ID", "FLAGS_INSTANCE_ID"],
    ["CUSTOM_CLIENT_HEADERS", "FLAGS_UPSTREAM_HEADERS", { isList: true }],
    [
      "UPSTREAM_AUTH_HEADER",
      refused("the upstream token is always sent in Authorization"),
      { isActive: (text) => text.toLowerCase() !== "authorization" },
    ],
    [
      "SKIP_SSL_VERIFICATION",
      "HTTP_OPTIONS_REJECT_UNAUTHORIZED",
      { conversion: negated, isActive: isTrue },
    ],
    ["UPSTREAM_CERTIFICATE_FILE", "FLAGS_UPSTREAM_CA_FILE"],
    ["PKCS8_CLIENT_CERTIFICATE_FILE", "FLAGS_UPSTREAM_CERT_FILE"],
    ["PKCS8_CLIENT_KEY_FILE", "FLAGS_UPSTREAM_KEY_FILE"],
    ["PEM_CERT_FILE", ["FLAGS_UPSTREAM_CERT_FILE", "FLAGS_UPSTREAM_KEY_FILE"]],
    [
      "PKCS12_IDENTITY_FILE",
      refused(
        "only PEM files are supported. Convert it, and set PKCS8_CLIENT_CERTIFICATE_FILE and PKCS8_CLIENT_KEY_FILE",
      ),
    ],
    ["PKCS12_PASSPHRASE", onlyWith("PKCS12_IDENTITY_FILE")],
    ["UPSTREAM_SOCKET_TIMEOUT", "FLAGS_UPSTREAM_TIMEOUT", { conversion: fromSeconds }],
    [
      "UPSTREAM_REQUEST_TIMEOUT",
      lost("there is no separate limit for opening a connection to the upstream"),
    ],
    ["CLIENT_KEEPALIVE_TIMEOUT", unneeded("connections are reused as long as the upstream allows")],
    ["HTTP_PROXY", "HTTP_PROXY"],
    ["HTTPS_PROXY", "HTTPS_PROXY"],
    ["ALL_PROXY", "ALL_PROXY"],
    ["NO_PROXY", "NO_PROXY"],
    ["CLIENT_ID", unneeded("it only names the instance in data sent upstream")],
    ["UNLEASH_CLIENT_SECRET", lost("the proxy issues no tokens")],
    ["DESIRED_ENVIRONMENTS", onlyWith("UNLEASH_CLIENT_SECRET")],
    ["DESIRED_PROJECTS", onlyWith("UNLEASH_CLIENT_SECRET")],
  ],
  "Storage and start without the upstream": [
    ["BACKUP_FOLDER", "FLAGS_STORE", { conversion: asFileStore }],
    ...Object.entries(REDIS_SETTINGS).map(([name, details]): Row => [name, "FLAGS_STORE", details]),
    ["REDIS_READ_CONNECTION_TIMEOUT_MILLISECONDS", unneeded("no request waits for the store")],
    ["REDIS_WRITE_CONNECTION_TIMEOUT_MILLISECONDS", unneeded("no request waits for the store")],
    ["S3_BUCKET_NAME", "FLAGS_STORE", { conversion: asBucket }],
    ["S3_FORCE_PATH_STYLE", onlyWith("S3_BUCKET_NAME")],
    ["BOOTSTRAP_FILE", "FLAGS_URL", { conversion: toFlagFilesAddress }],
    ["RELOAD_INTERVAL", unneeded("changes to the file apply within a second")],
    ["CLIENT_TOKENS", "EXP_SERVER_SIDE_SDK_CONFIG_TOKENS", { isList: true }],
    ["FRONTEND_TOKENS", "FLAGS_PROXY_CLIENT_KEYS", { isList: true }],
  ],
  "Usage and monitoring": [
    ["METRICS_INTERVAL_SECONDS", "FLAGS_METRICS_INTERVAL", { conversion: fromSeconds }],
    ["LOG_FORMAT", "JSON_LOGGER", { conversion: fromLogFormat }],
    ["RUST_LOG", "LOG_LEVEL", { conversion: fromRustLog }],
    [
      "DISABLE_METRICS_ENDPOINT",
      lost("the metrics are always served. Do not expose /internal-backstage to the public"),
      { isActive: isTrue },
    ],
    ["DISABLE_METRICS_BATCH_ENDPOINT", unneeded("there is no such endpoint")],
    ["DISABLE_INSTANCE_DATA_ENDPOINT", unneeded("there is no such endpoint")],
    ["DISABLE_FEATURES_ENDPOINT", unneeded("the endpoint requires a server token")],
    ["DISABLE_TOKENS_ENDPOINT", unneeded("the endpoint requires a server token")],
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"],
    ["OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"],
    [
      "OTEL_COLLECTOR_URL",
      lost("use OTEL_EXPORTER_OTLP_ENDPOINT, with the port for HTTP, usually 4318"),
    ],
    ["PROMETHEUS_REMOTE_WRITE_URL", lost("metrics are not pushed. Let Prometheus scrape them")],
    ["PROMETHEUS_PUSH_INTERVAL", onlyWith("PROMETHEUS_REMOTE_WRITE_URL")],
    ["PROMETHEUS_USERNAME", onlyWith("PROMETHEUS_REMOTE_WRITE_URL")],
    ["PROMETHEUS_PASSWORD", onlyWith("PROMETHEUS_REMOTE_WRITE_URL")],
    ["PROMETHEUS_USER_ID", onlyWith("PROMETHEUS_REMOTE_WRITE_URL")],
    ["SENTRY_DSN", DEAD],
    ["SENTRY_TRACING_RATE", DEAD],
    ["SENTRY_DEBUG", DEAD],
    ["SENTRY_ENABLE_LOGS", DEAD],
    ["DATADOG_URL", DEAD],
    ["CONSUMPTION", DEAD],
    ["EC2_INSTANCE_ID", unneeded("no data about the instance is sent upstream")],
    ["EDGE_HOSTING", unneeded("no data about the instance is sent upstream")],
    ["EDGE_URL", unneeded("only the subcommands health and ready read it, as in Edge")],
    ["CA_CERTIFICATE_FILE", unneeded("only the subcommands health and ready read it, as in Edge")],
  ],
};

/** For `--help`: what a value is, if the description of our setting does not say so. */
const DESCRIPTIONS: Readonly<Record<string, string>> = {
  TLS_ENABLE: "Enables TLS.",
  REDIRECT_HTTP_TO_HTTPS: "With TLS, redirects all requests from the plain HTTP port.",
  DISABLE_ALL_ENDPOINT: "Does not serve /api/frontend/all, which returns disabled flags too.",
  UPSTREAM_URL: "URL of the upstream, with or without /api.",
  STREAMING: "Receives changes from the upstream immediately, over a stream.",
  DELTA: "Fetches only changes from the upstream, at intervals.",
  SKIP_SSL_VERIFICATION: "Accepts any certificate from the upstream.",
  PEM_CERT_FILE:
    "Path of a PEM file with the client certificate for the upstream and its private key.",
  BACKUP_FOLDER: "Directory that keeps flags across restarts.",
  REDIS_URL: "Address of the Redis server that keeps flags across restarts.",
  REDIS_HOST: "Host of Redis, if there is no address.",
  REDIS_PORT: "Port of Redis, from 1 to 65535.",
  REDIS_USERNAME: "User name for Redis.",
  REDIS_PASSWORD: "Password for Redis.",
  REDIS_SCHEME: "With a host of Redis: redis or tcp; rediss or tls for connections with TLS.",
  REDIS_SECURE: "Connects to Redis with TLS.",
  REDIS_MODE: "Whether Redis is a single server or a cluster: single or cluster.",
  S3_BUCKET_NAME: "S3 bucket that keeps flags across restarts.",
  BOOTSTRAP_FILE: "Path of the file with the flags.",
  LOG_FORMAT: "Format of the log: json, plain or pretty.",
};

/** All settings of Edge, in the order in which they are documented. */
export const EDGE_ALIASES: readonly Alias[] = Object.entries(ROWS).flatMap(([group, rows]) =>
  rows.map(([name, target, details]) => {
    const to = typeof target === "string" ? [target] : "effect" in target ? [] : target;
    const missing = typeof target === "object" && "effect" in target ? target : undefined;
    const description = DESCRIPTIONS[name];
    return {
      name,
      to,
      group,
      ...details,
      ...(missing && { missing }),
      ...(description !== undefined && { description }),
    };
  }),
);

/**
 * Defaults of Edge that apply when its names are used: clients and probes connect to its port, SDKs may
 * use `/all`, pages of other origins may read every header, the log says when the flags have arrived, and the load on the
 * upstream stays the same.
 */
export const EDGE_DEFAULTS: Readonly<Record<string, string>> = {
  PORT: "3063",
  ENABLE_ALL_ENDPOINT: "true",
  CORS_EXPOSED_HEADERS: "*",
  FLAGS_FETCH_INTERVAL: "15000",
  FLAGS_METRICS_INTERVAL: "60000",
  LOG_LEVEL: "info",
};

/** Names that belong to no other program, so that they are probably meant for Edge. */
export const TYPICAL_EDGE_NAMES: readonly string[] = [
  "UPSTREAM_URL",
  "TOKENS",
  "PRETRUSTED_TOKENS",
  "FRONTEND_TOKENS",
  "CLIENT_TOKENS",
  "FEATURES_REFRESH_INTERVAL_SECONDS",
  "METRICS_INTERVAL_SECONDS",
  "DISABLE_ALL_ENDPOINT",
  "BOOTSTRAP_FILE",
];
