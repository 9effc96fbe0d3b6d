// The settings of Unleash Edge 19 and 20. NOTE: not HOSTNAME, which most shells and containers set.

import type { Environment } from "flags-server-kit/command-line";
import type { Alias, Missing } from "./alias.ts";
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
import { asRedisStore, isHostUsed, REDIS_PARTS, redisHostAsStore } from "./redis-conversions.ts";

type Details = Omit<Alias, "name" | "to" | "group">;

/** Headings under which documents list the settings. */
const EDGE_GROUPS = [
  "Listening",
  "Clients",
  "Upstream",
  "Storage and start without the upstream",
  "Usage and monitoring",
] as const;

type Group = (typeof EDGE_GROUPS)[number];

const unneeded = (reason: string): Missing => ({ effect: "unneeded", reason });
const lost = (reason: string): Missing => ({ effect: "lost", reason });
const refused = (reason: string): Missing => ({ effect: "refused", reason });

const DEAD = unneeded("Edge 20 does not read it either");

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

/** Settings of one heading: name, our variables, and details. */
type Row = readonly [name: string, to: string | readonly string[], details?: Details];

const ROWS: Readonly<Record<Group, readonly Row[]>> = {
  Listening: [
    ["PORT", "PORT"],
    ["INTERFACE", "HOST"],
    ["BASE_PATH", "PROXY_BASE_PATH"],
    [
      "WORKERS",
      [],
      {
        missing: unneeded("Edge 20 does not read it either; FLAGS_PROXY_WORKERS starts processes"),
      },
    ],
    ["TLS_SERVER_CERT", "FLAGS_TLS_CERT_FILE", { isActive: hasTls }],
    ["TLS_SERVER_KEY", "FLAGS_TLS_KEY_FILE", { isActive: hasTls }],
    ["TLS_SERVER_PORT", "FLAGS_TLS_PORT", { ...ONLY_TLS, isActive: hasTls }],
    [
      "TLS_ENABLE",
      "FLAGS_TLS_PORT",
      { ...ONLY_TLS, conversion: tlsPort, isActive: isTrue, description: "Enables TLS." },
    ],
    [
      "REDIRECT_HTTP_TO_HTTPS",
      "FLAGS_TLS_REDIRECT",
      {
        conversion: asBoolean,
        isActive: hasTls,
        description: "With TLS, redirects all requests from the plain HTTP port.",
      },
    ],
    ["EDGE_REQUEST_TIMEOUT", [], { missing: DEAD }],
    ["EDGE_KEEPALIVE_TIMEOUT", [], { missing: DEAD }],
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
      { loss: "the upstream token is still sent in Authorization" },
    ],
    [
      "PRETRUSTED_TOKENS",
      "FLAGS_PROXY_CLIENT_KEYS",
      { conversion: pretrustedTokens, isList: true },
    ],
    [
      "STRICT",
      [],
      {
        missing: unneeded(
          "tokens of environments without an upstream token are rejected, as with STRICT=true",
        ),
        isActive: isTrue,
      },
    ],
    [
      "DYNAMIC",
      [],
      { missing: lost("the environments are those of the upstream tokens"), isActive: isTrue },
    ],
    [
      "TOKEN_REVALIDATION_INTERVAL_SECONDS",
      "FLAGS_UPSTREAM_KEYS_INTERVAL",
      {
        conversion: fromSeconds,
        description: "Seconds within which a token that was revoked in the upstream is rejected.",
      },
    ],
    [
      "EDGE_DEFER_TOKEN_VALIDATION",
      [],
      { missing: unneeded("requests wait until the upstream has verified their token") },
    ],
    [
      "DISABLE_ALL_ENDPOINT",
      "ENABLE_ALL_ENDPOINT",
      {
        conversion: negated,
        description: "Does not serve /api/frontend/all, which returns disabled flags too.",
      },
    ],
    ["CORS_ORIGIN", "CORS_ORIGIN"],
    ["CORS_ALLOWED_HEADERS", "CORS_ALLOWED_HEADERS"],
    ["CORS_METHODS", "CORS_METHODS"],
    ["CORS_EXPOSED_HEADERS", "CORS_EXPOSED_HEADERS"],
    ["CORS_MAX_AGE", "CORS_MAX_AGE"],
  ],
  Upstream: [
    [
      "UPSTREAM_URL",
      "FLAGS_URL",
      { conversion: withApiPath, description: "URL of the upstream, with or without /api." },
    ],
    [
      "TOKENS",
      ["FLAGS_API_TOKEN", "EXP_SERVER_SIDE_SDK_CONFIG_TOKENS"],
      {
        isList: true,
        // There is no upstream then, and every token may be used for everything.
        toInstead: {
          condition: "with `BOOTSTRAP_FILE`",
          to: ["FLAGS_PROXY_CLIENT_KEYS", "EXP_SERVER_SIDE_SDK_CONFIG_TOKENS"],
          isMet: ({ BOOTSTRAP_FILE = "" }) => BOOTSTRAP_FILE.trim() !== "",
        },
      },
    ],
    [
      "FEATURES_REFRESH_INTERVAL_SECONDS",
      "FLAGS_FETCH_INTERVAL",
      {
        conversion: fromSeconds,
        description: "Seconds between upstream polls. 0 fetches once.",
      },
    ],
    [
      "STREAMING",
      "FLAGS_SYNCHRONIZATION",
      {
        conversion: { description: "`streaming`", convert: () => "streaming" },
        isActive: isTrue,
        description: "Receives changes from the upstream immediately, over a stream.",
      },
    ],
    [
      "DELTA",
      "FLAGS_SYNCHRONIZATION",
      {
        conversion: { description: "`delta`", convert: () => "delta" },
        isActive: isTrue,
        description: "Fetches only changes from the upstream, at intervals.",
      },
    ],
    ["APP_NAME", "FLAGS_APP_NAME"],
    ["INSTANCE_ID", "FLAGS_INSTANCE_ID"],
    ["CUSTOM_CLIENT_HEADERS", "FLAGS_UPSTREAM_HEADERS", { isList: true }],
    [
      "UPSTREAM_AUTH_HEADER",
      [],
      {
        missing: refused("the upstream token is always sent in Authorization"),
        isActive: (text) => text.toLowerCase() !== "authorization",
      },
    ],
    [
      "SKIP_SSL_VERIFICATION",
      "HTTP_OPTIONS_REJECT_UNAUTHORIZED",
      {
        conversion: negated,
        isActive: isTrue,
        description: "Accepts any certificate from the upstream.",
      },
    ],
    ["UPSTREAM_CERTIFICATE_FILE", "FLAGS_UPSTREAM_CA_FILE"],
    ["PKCS8_CLIENT_CERTIFICATE_FILE", "FLAGS_UPSTREAM_CERT_FILE"],
    ["PKCS8_CLIENT_KEY_FILE", "FLAGS_UPSTREAM_KEY_FILE"],
    [
      "PEM_CERT_FILE",
      ["FLAGS_UPSTREAM_CERT_FILE", "FLAGS_UPSTREAM_KEY_FILE"],
      {
        description:
          "Path of a PEM file with the client certificate for the upstream and its private key.",
      },
    ],
    [
      "PKCS12_IDENTITY_FILE",
      [],
      {
        missing: refused(
          "only PEM files are supported. Convert it, and set PKCS8_CLIENT_CERTIFICATE_FILE and PKCS8_CLIENT_KEY_FILE",
        ),
      },
    ],
    ["PKCS12_PASSPHRASE", [], { missing: unneeded("it is used only with PKCS12_IDENTITY_FILE") }],
    [
      "UPSTREAM_SOCKET_TIMEOUT",
      "FLAGS_UPSTREAM_TIMEOUT",
      {
        conversion: fromSeconds,
        description: "Seconds that a whole request to the upstream may take.",
      },
    ],
    [
      "UPSTREAM_REQUEST_TIMEOUT",
      [],
      { missing: lost("there is no separate limit for opening a connection to the upstream") },
    ],
    [
      "CLIENT_KEEPALIVE_TIMEOUT",
      [],
      { missing: unneeded("connections are reused as long as the upstream allows") },
    ],
    ["HTTP_PROXY", "HTTP_PROXY"],
    ["HTTPS_PROXY", "HTTPS_PROXY"],
    ["ALL_PROXY", "ALL_PROXY"],
    ["NO_PROXY", "NO_PROXY"],
    ["CLIENT_ID", [], { missing: unneeded("it only names the instance in data sent upstream") }],
    ["UNLEASH_CLIENT_SECRET", [], { missing: lost("the proxy issues no tokens") }],
    [
      "DESIRED_ENVIRONMENTS",
      [],
      { missing: unneeded("it is used only with UNLEASH_CLIENT_SECRET") },
    ],
    ["DESIRED_PROJECTS", [], { missing: unneeded("it is used only with UNLEASH_CLIENT_SECRET") }],
  ],
  "Storage and start without the upstream": [
    [
      "BACKUP_FOLDER",
      "FLAGS_STORE",
      { conversion: asFileStore, description: "Directory that keeps flags across restarts." },
    ],
    [
      "REDIS_URL",
      "FLAGS_STORE",
      {
        conversion: asRedisStore,
        description: "Address of the Redis server that keeps flags across restarts.",
      },
    ],
    [
      "REDIS_HOST",
      "FLAGS_STORE",
      {
        conversion: redisHostAsStore,
        isActive: (_text, given) => isHostUsed(given),
        description: "Host of Redis, if there is no address.",
      },
    ],
    ...REDIS_PARTS.map(([name, details]): Row => [name, "FLAGS_STORE", details]),
    ...[
      "REDIS_READ_CONNECTION_TIMEOUT_MILLISECONDS",
      "REDIS_WRITE_CONNECTION_TIMEOUT_MILLISECONDS",
    ].map((name): Row => [name, [], { missing: unneeded("no request waits for the store") }]),
    [
      "S3_BUCKET_NAME",
      "FLAGS_STORE",
      { conversion: asBucket, description: "S3 bucket that keeps flags across restarts." },
    ],
    ["S3_FORCE_PATH_STYLE", [], { missing: unneeded("it is used only with S3_BUCKET_NAME") }],
    [
      "BOOTSTRAP_FILE",
      "FLAGS_URL",
      { conversion: toFlagFilesAddress, description: "Path of the file with the flags." },
    ],
    [
      "RELOAD_INTERVAL",
      [],
      {
        missing: unneeded("changes to the file apply within a second"),
      },
    ],
    ["CLIENT_TOKENS", "EXP_SERVER_SIDE_SDK_CONFIG_TOKENS", { isList: true }],
    ["FRONTEND_TOKENS", "FLAGS_PROXY_CLIENT_KEYS", { isList: true }],
  ],
  "Usage and monitoring": [
    [
      "METRICS_INTERVAL_SECONDS",
      "FLAGS_METRICS_INTERVAL",
      {
        conversion: fromSeconds,
        description: "Seconds between usage reports to the upstream. 0 disables them.",
      },
    ],
    [
      "LOG_FORMAT",
      "JSON_LOGGER",
      { conversion: fromLogFormat, description: "Format of the log: json, plain or pretty." },
    ],
    ["RUST_LOG", "LOG_LEVEL", { conversion: fromRustLog }],
    [
      "DISABLE_METRICS_ENDPOINT",
      [],
      {
        missing: lost(
          "the metrics are always served. Do not expose /internal-backstage to the public",
        ),
        isActive: isTrue,
      },
    ],
    ...["DISABLE_METRICS_BATCH_ENDPOINT", "DISABLE_INSTANCE_DATA_ENDPOINT"].map((name): Row => [
      name,
      [],
      { missing: unneeded("there is no such endpoint") },
    ]),
    ...["DISABLE_FEATURES_ENDPOINT", "DISABLE_TOKENS_ENDPOINT"].map((name): Row => [
      name,
      [],
      { missing: unneeded("the endpoint requires a server token") },
    ]),
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"],
    ["OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"],
    [
      "OTEL_COLLECTOR_URL",
      [],
      { missing: lost("use OTEL_EXPORTER_OTLP_ENDPOINT, with the port for HTTP, usually 4318") },
    ],
    [
      "PROMETHEUS_REMOTE_WRITE_URL",
      [],
      { missing: lost("metrics are not pushed. Let Prometheus scrape them") },
    ],
    ...[
      "PROMETHEUS_PUSH_INTERVAL",
      "PROMETHEUS_USERNAME",
      "PROMETHEUS_PASSWORD",
      "PROMETHEUS_USER_ID",
    ].map((name): Row => [
      name,
      [],
      { missing: unneeded("it is used only with PROMETHEUS_REMOTE_WRITE_URL") },
    ]),
    ...[
      "SENTRY_DSN",
      "SENTRY_TRACING_RATE",
      "SENTRY_DEBUG",
      "SENTRY_ENABLE_LOGS",
      "DATADOG_URL",
      "CONSUMPTION",
    ].map((name): Row => [name, [], { missing: DEAD }]),
    ...["EC2_INSTANCE_ID", "EDGE_HOSTING"].map((name): Row => [
      name,
      [],
      { missing: unneeded("no data about the instance is sent upstream") },
    ]),
    ...["EDGE_URL", "CA_CERTIFICATE_FILE"].map((name): Row => [
      name,
      [],
      { missing: unneeded("only the subcommands health and ready read it, as in Edge") },
    ]),
  ],
};

/** All settings of Edge, in the order in which they are documented. */
export const EDGE_ALIASES: readonly Alias[] = EDGE_GROUPS.flatMap((group) =>
  ROWS[group].map(([name, to, details]) => ({
    name,
    to: typeof to === "string" ? [to] : to,
    group,
    ...details,
  })),
);

/**
 * Defaults of Edge that apply when its names are used: clients and probes connect to its port, SDKs may
 * use `/all`, pages of other origins may read every header, and the load on the upstream stays the same.
 */
export const EDGE_DEFAULTS: Readonly<Record<string, string>> = {
  PORT: "3063",
  ENABLE_ALL_ENDPOINT: "true",
  CORS_EXPOSED_HEADERS: "*",
  FLAGS_FETCH_INTERVAL: "15000",
  FLAGS_METRICS_INTERVAL: "60000",
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
