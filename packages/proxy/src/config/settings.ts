/* oxlint-disable max-lines -- one table, nothing but data */

// The settings of the proxy. To add one:
//
// 1. Add an entry to SETTINGS below. Its `kind`, from proxy-setting-kinds.ts, address-setting-kinds.ts or
//    flags-server-kit, reads and checks values. Error messages, `--help` and suggestions for misspelt names follow
//    from the entry.
// 2. For a setting that code can set, add the option to ProxyOptions in options.ts. The type checker then requires it
//    in EVERY_OPTION of test/config-settings.test.ts.
// 3. Add a field to ProxyConfig in config.ts. The type checker then requires its value in assemble-config.ts and in
//    test/_proxy.ts. Settings for TLS, the management port and connections to the upstream belong to NetworkConfig,
//    which load-network.ts creates.
// 4. Add a row to test/config-settings.test.ts, which fails without it.
// 5. Run `node scripts/check-docs.mjs --write`, which updates docs/configuration.md.
//
// Rules that involve several settings are in check-settings.ts and, by subject, in the other check-….ts files next to it.

import type { Synchronization } from "flags-sdk";
import {
  addressesKind,
  booleanKind,
  createChoiceKind,
  createIntegerKind,
  defineSetting as define,
  headerValueKind,
  hostKind,
  hostsKind,
  keysKind,
  LOG_LEVELS,
  pathKind,
  type Setting,
  TELEMETRY_GROUP,
  TELEMETRY_SETTINGS,
  textKind,
  tokensKind,
  trustProxyKind,
  urlKind,
  type ValuesOf,
} from "flags-server-kit/command-line";
import {
  basePathKind,
  forwardProxyKind,
  originsKind,
  secretsInAddress,
  upstreamKind,
} from "./address-setting-kinds.ts";
import { OFREP_VALUES } from "./config.ts";
import {
  applicationsKind,
  enrichersKind,
  headerNameKind,
  headerNamesKind,
  headersKind,
  loggerKind,
  methodsKind,
  secretsInHeader,
  secretsInHeaders,
  storageKind,
  strategiesKind,
  tagsKind,
  upstreamHeadersKind,
  workersKind,
} from "./proxy-setting-kinds.ts";
import { secretsInStoreAddress, storeAddressKind } from "../store/store-address.ts";
import type { OptionName } from "./options.ts";

/** Headings of the groups of settings, in order. */
export const SETTING_GROUPS = [
  "Required",
  "Listening",
  "Network",
  "Upstream",
  "Store",
  "Clients",
  "Endpoints",
  "Push",
  "CORS",
  "Logging",
  TELEMETRY_GROUP,
  "Extensions",
  "Experimental",
] as const;

interface ProxySetting {
  readonly group: (typeof SETTING_GROUPS)[number];
  readonly option?: OptionName;
}

/** Defines a setting, keeping the exact types of its value and default. */
function defineSetting<T, const Default extends T | undefined>(
  setting: Setting<T, Default> & ProxySetting,
): Setting<T, Default> {
  return define(setting);
}

const portKind = createIntegerKind({ min: 0, max: 65_535 });

// NOTE: timers are limited to 2 ** 31 - 1 ms, and an interval and its jitter are added up.
const intervalKind = createIntegerKind({ min: 0, max: 1_000_000_000, of: "milliseconds" });

// NOTE: repeats the values of the type, so that `--help` does not wait for the SDK to load.
const SYNCHRONIZATIONS = [
  "polling",
  "delta",
  "streaming",
] as const satisfies readonly Synchronization[];

/** All settings of the proxy, in the order in which they are documented. */
export const SETTINGS = {
  flagsUrl: defineSetting({
    group: "Required",
    option: "flagsUrl",
    variables: ["FLAGS_URL"],
    kind: upstreamKind,
    default: undefined,
    required: true,
    description:
      "The URL of the upstream API, for example http://localhost:4242/api, or of files with flags, for example file:./flags.json.",
  }),
  flagsApiToken: defineSetting({
    group: "Required",
    option: "flagsApiToken",
    variables: ["FLAGS_API_TOKEN"],
    kind: keysKind,
    default: undefined,
    required: true,
    secret: true,
    description:
      "Backend token for the upstream (Unleash also calls it a client token), or several, separated by commas: one for each environment to serve. Not needed for files.",
  }),
  clientKeys: defineSetting({
    group: "Required",
    option: "clientKeys",
    variables: ["FLAGS_PROXY_CLIENT_KEYS"],
    kind: keysKind,
    default: undefined,
    required: true,
    secret: true,
    description:
      "Keys that clients send, separated by commas; you choose them. Not needed with FLAGS_ACCESS_FILE or FLAGS_UPSTREAM_KEYS.",
  }),
  port: defineSetting({
    group: "Listening",
    option: "port",
    variables: ["PORT", "PROXY_PORT"],
    kind: portKind,
    default: 3000,
    description: "Port to listen on; 0 chooses a free one. PORT takes precedence over PROXY_PORT.",
  }),
  host: defineSetting({
    group: "Listening",
    option: "host",
    variables: ["HOST"],
    kind: hostKind,
    default: undefined,
    defaultText: "all addresses",
    description: "Address to listen on, for example 127.0.0.1.",
  }),
  proxyBasePath: defineSetting({
    group: "Listening",
    option: "proxyBasePath",
    variables: ["PROXY_BASE_PATH"],
    kind: basePathKind,
    default: "",
    defaultText: "empty",
    description: "Path prefix of all endpoints: base/path gives /base/path/proxy.",
  }),
  workers: defineSetting({
    group: "Listening",
    variables: ["FLAGS_PROXY_WORKERS"],
    kind: workersKind,
    default: 1,
    description:
      "Number of worker processes that share the port, or auto for one per core. They share one connection to the upstream. Only the command starts workers.",
  }),
  workerTimeout: defineSetting({
    group: "Listening",
    variables: ["FLAGS_PROXY_WORKER_TIMEOUT"],
    kind: createIntegerKind({ min: 1000, max: 3_600_000, of: "milliseconds" }),
    default: 15_000,
    description:
      "Milliseconds after which an unresponsive worker is killed and replaced; four times as long while it starts.",
  }),
  shutdownDelayMs: defineSetting({
    group: "Listening",
    variables: ["SHUTDOWN_DELAY"],
    kind: createIntegerKind({ min: 0, max: 600_000, of: "milliseconds" }),
    default: 5000,
    description:
      "Milliseconds for which requests are still served after SIGTERM, while GET /ready returns 503, so that load balancers notice. The process needs up to 5 s more to stop. No effect on Ctrl-C. Only the command waits.",
  }),
  maxConnections: defineSetting({
    group: "Listening",
    option: "maxConnections",
    variables: ["FLAGS_MAX_CONNECTIONS"],
    kind: createIntegerKind({ min: 1, max: 1_000_000 }),
    default: undefined,
    defaultText: "fits the open-file limit",
    description:
      "Maximum number of open client connections, in each worker. At the limit, idle connections are closed to accept new ones; if none is idle, new connections are closed. Default: FLAGS_PUSH_MAX_STREAMS + 10000, or less if the process cannot open that many files.",
  }),
  trustProxy: defineSetting({
    group: "Listening",
    option: "trustProxy",
    variables: ["TRUST_PROXY"],
    kind: trustProxyKind,
    default: false,
    description:
      "Which X-Forwarded-* and Forwarded headers are trusted: all (true), none (false), those from a list of IP addresses and CIDR ranges, or those of a number of proxies in front of this one. Determines the caller's address in the context and for FLAGS_ALLOW_LIST and FLAGS_DENY_LIST.",
  }),
  allowedHosts: defineSetting({
    group: "Listening",
    option: "allowedHosts",
    variables: ["ALLOWED_HOSTS"],
    kind: hostsKind,
    default: [],
    defaultText: "none",
    description:
      "Host names under which browsers and scrapers reach the endpoints that require no key, such as the metrics: a list without ports. Other names get a 421. Always allowed: HOST, localhost, loopback addresses and, unless HOST is a loopback address, all IP addresses. Client keys, server tokens and probes work under any name.",
  }),
  tlsCertFile: defineSetting({
    group: "Network",
    option: "tls.certFile",
    variables: ["FLAGS_TLS_CERT_FILE"],
    kind: textKind,
    default: undefined,
    description:
      "Path of a PEM file with the certificate of this proxy and those of intermediate CAs. Enables TLS. A renewed file is read without a restart.",
  }),
  tlsKeyFile: defineSetting({
    group: "Network",
    option: "tls.keyFile",
    variables: ["FLAGS_TLS_KEY_FILE"],
    kind: textKind,
    default: undefined,
    description:
      "Path of a PEM file with the private key of the certificate, without a passphrase.",
  }),
  tlsPort: defineSetting({
    group: "Network",
    option: "tls.port",
    variables: ["FLAGS_TLS_PORT"],
    kind: portKind,
    default: undefined,
    defaultText: "PORT serves TLS",
    description: "Port for TLS. If it is set, PORT serves plain HTTP, or redirects.",
  }),
  tlsRedirect: defineSetting({
    group: "Network",
    option: "tls.redirect",
    variables: ["FLAGS_TLS_REDIRECT"],
    kind: booleanKind,
    default: false,
    description: "Redirects all requests from PORT to FLAGS_TLS_PORT, with a 308.",
  }),
  tlsClientCaFile: defineSetting({
    group: "Network",
    option: "tls.clientCaFile",
    variables: ["FLAGS_TLS_CLIENT_CA_FILE"],
    kind: textKind,
    default: undefined,
    description:
      "Path of a PEM file with certificates of CAs. If it is set, TLS clients need a certificate signed by one of them.",
  }),
  allowList: defineSetting({
    group: "Network",
    option: "allowList",
    variables: ["FLAGS_ALLOW_LIST"],
    kind: addressesKind,
    default: undefined,
    defaultText: "all addresses",
    description:
      "Only these IP addresses and CIDR ranges may send requests; others get a 403. Behind a load balancer, set TRUST_PROXY. Does not apply to the management port.",
  }),
  denyList: defineSetting({
    group: "Network",
    option: "denyList",
    variables: ["FLAGS_DENY_LIST"],
    kind: addressesKind,
    default: [],
    defaultText: "none",
    description:
      "These IP addresses and CIDR ranges get a 403, even if they are in the allow list. Does not apply to the management port.",
  }),
  managementPort: defineSetting({
    group: "Network",
    option: "management.port",
    variables: ["FLAGS_MANAGEMENT_PORT"],
    kind: portKind,
    default: undefined,
    defaultText: "none: PORT serves everything",
    description:
      "Separate port, without TLS, for metrics, /status, /internal-backstage, /live, /ready and /proxy/health. If it is set, PORT does not serve metrics, /status or /internal-backstage.",
  }),
  managementHost: defineSetting({
    group: "Network",
    option: "management.host",
    variables: ["FLAGS_MANAGEMENT_HOST"],
    kind: hostKind,
    default: undefined,
    defaultText: "same as HOST",
    description: "Address of the management port, for example 127.0.0.1.",
  }),
  flagsAppName: defineSetting({
    group: "Upstream",
    option: "flagsAppName",
    variables: ["FLAGS_APP_NAME"],
    kind: textKind,
    default: "flags-proxy",
    description: "Application name sent upstream.",
  }),
  flagsInstanceId: defineSetting({
    group: "Upstream",
    option: "flagsInstanceId",
    variables: ["FLAGS_INSTANCE_ID"],
    kind: textKind,
    default: undefined,
    defaultText: "generated",
    description: "Instance id sent upstream.",
  }),
  synchronization: defineSetting({
    group: "Upstream",
    option: "synchronization",
    variables: ["FLAGS_SYNCHRONIZATION"],
    kind: createChoiceKind(SYNCHRONIZATIONS),
    default: "polling",
    description:
      "How to receive changes from the upstream: polling fetches all flags at intervals, delta fetches only changes at intervals, and streaming receives changes immediately. If delta or streaming fails, the proxy polls.",
  }),
  refreshInterval: defineSetting({
    group: "Upstream",
    option: "refreshInterval",
    variables: ["FLAGS_FETCH_INTERVAL"],
    kind: intervalKind,
    default: 5000,
    description: "Milliseconds between upstream polls. 0 fetches once.",
  }),
  metricsInterval: defineSetting({
    group: "Upstream",
    option: "metricsInterval",
    variables: ["FLAGS_METRICS_INTERVAL"],
    kind: intervalKind,
    default: 30_000,
    description: "Milliseconds between usage reports to the upstream. 0 disables them.",
  }),
  metricsJitter: defineSetting({
    group: "Upstream",
    option: "metricsJitter",
    variables: ["FLAGS_METRICS_JITTER"],
    kind: intervalKind,
    default: 0,
    description:
      "Maximum random delay in milliseconds that is added to each interval between usage reports.",
  }),
  usageSpool: defineSetting({
    group: "Upstream",
    option: "usageSpool",
    variables: ["FLAGS_USAGE_SPOOL"],
    kind: pathKind,
    default: undefined,
    description:
      "Directory that keeps accepted usage, impact metrics and registrations until they are delivered, so that they survive if the process is killed. Each proxy needs its own directory.",
  }),
  usageSpoolMaxBytes: defineSetting({
    group: "Upstream",
    option: "usageSpoolMaxBytes",
    variables: ["FLAGS_USAGE_SPOOL_MAX_BYTES"],
    kind: createIntegerKind({ min: 8_388_608, max: 17_179_869_184, of: "bytes" }),
    default: 134_217_728,
    description:
      "Maximum disk space for the usage of each environment, in bytes. A value below the default also reduces the memory for usage, in proportion.",
  }),
  projectName: defineSetting({
    group: "Upstream",
    option: "projectName",
    variables: ["FLAGS_PROJECT_NAME"],
    kind: textKind,
    default: undefined,
    description:
      "Project id: only flags of this project are requested; the proxy ignores all others.",
  }),
  namePrefix: defineSetting({
    group: "Upstream",
    option: "namePrefix",
    variables: ["FLAGS_NAME_PREFIX"],
    kind: textKind,
    default: undefined,
    description:
      "Only flags whose names start with this prefix are requested; the proxy ignores all others.",
  }),
  tags: defineSetting({
    group: "Upstream",
    option: "tags",
    variables: ["FLAGS_TAGS"],
    kind: tagsKind,
    default: [],
    defaultText: "none",
    description:
      "Only flags with these tags are requested: name:value,name2:value2. Implies polling, regardless of FLAGS_SYNCHRONIZATION.",
  }),
  storageProvider: defineSetting({
    group: "Upstream",
    option: "storageProvider",
    variables: [],
    kind: storageKind,
    default: undefined,
    defaultText: "in memory",
    description: "Storage that keeps flags across restarts.",
  }),
  rejectUnauthorized: defineSetting({
    group: "Upstream",
    option: "httpOptions.rejectUnauthorized",
    variables: ["HTTP_OPTIONS_REJECT_UNAUTHORIZED"],
    kind: booleanKind,
    default: true,
    description: "Rejects an upstream whose certificate cannot be verified.",
  }),
  upstreamCaFile: defineSetting({
    group: "Upstream",
    option: "httpOptions.caFile",
    variables: ["FLAGS_UPSTREAM_CA_FILE"],
    kind: textKind,
    default: undefined,
    description:
      "Path of a PEM file with certificates of certificate authorities (CAs) to trust, in addition to those that Node trusts.",
  }),
  upstreamCertFile: defineSetting({
    group: "Upstream",
    option: "httpOptions.certFile",
    variables: ["FLAGS_UPSTREAM_CERT_FILE"],
    kind: textKind,
    default: undefined,
    description:
      "Path of a PEM file with the client certificate for the upstream. Read at startup.",
  }),
  upstreamKeyFile: defineSetting({
    group: "Upstream",
    option: "httpOptions.keyFile",
    variables: ["FLAGS_UPSTREAM_KEY_FILE"],
    kind: textKind,
    default: undefined,
    description: "Path of a PEM file with the private key of the client certificate.",
  }),
  upstreamHeaders: defineSetting({
    group: "Upstream",
    option: "httpOptions.headers",
    variables: ["FLAGS_UPSTREAM_HEADERS"],
    kind: upstreamHeadersKind,
    default: {},
    defaultText: "none",
    secret: true,
    secretTexts: secretsInHeaders,
    description:
      "Headers added to every request to the upstream: Name: value, separated by commas, or one per line if values contain commas.",
  }),
  upstreamTimeout: defineSetting({
    group: "Upstream",
    option: "httpOptions.timeout",
    variables: ["FLAGS_UPSTREAM_TIMEOUT"],
    kind: createIntegerKind({ min: 1, max: 600_000, of: "milliseconds" }),
    default: 10_000,
    description:
      "Milliseconds that a whole request to the upstream may take, including the connection and the transfer of all flags.",
  }),
  httpProxy: defineSetting({
    group: "Upstream",
    variables: ["HTTP_PROXY", "http_proxy"],
    kind: forwardProxyKind,
    default: undefined,
    secret: true,
    secretTexts: secretsInAddress,
    description: "Proxy server for requests to http:// addresses.",
  }),
  httpsProxy: defineSetting({
    group: "Upstream",
    variables: ["HTTPS_PROXY", "https_proxy"],
    kind: forwardProxyKind,
    default: undefined,
    secret: true,
    secretTexts: secretsInAddress,
    description: "Proxy server for requests to https:// addresses.",
  }),
  allProxy: defineSetting({
    group: "Upstream",
    variables: ["ALL_PROXY", "all_proxy"],
    kind: forwardProxyKind,
    default: undefined,
    secret: true,
    secretTexts: secretsInAddress,
    description:
      "Proxy server for requests to addresses for which HTTP_PROXY or HTTPS_PROXY is not set.",
  }),
  noProxy: defineSetting({
    group: "Upstream",
    variables: ["NO_PROXY", "no_proxy"],
    kind: textKind,
    default: undefined,
    description: "Hosts to connect to without a proxy server, separated by commas.",
  }),
  store: defineSetting({
    group: "Store",
    option: "store",
    variables: ["FLAGS_STORE"],
    kind: storeAddressKind,
    default: undefined,
    secret: true,
    secretTexts: secretsInStoreAddress,
    description:
      "URL of a store that keeps flags across restarts, so that the proxy can start while the upstream is down. For example file:/var/lib/flags, redis://cache:6379 or s3://bucket/prefix.",
  }),
  storePassword: defineSetting({
    group: "Store",
    option: "storePassword",
    variables: ["FLAGS_STORE_PASSWORD"],
    kind: textKind,
    default: undefined,
    secret: true,
    description: "Password for Redis, instead of one in FLAGS_STORE.",
  }),
  storeCaFile: defineSetting({
    group: "Store",
    option: "storeCaFile",
    variables: ["FLAGS_STORE_CA_FILE"],
    kind: textKind,
    default: undefined,
    description:
      "Path of a PEM file with certificates of CAs to trust for Redis with TLS (rediss) and for S3, in addition to those that Node trusts.",
  }),
  sharedPolling: defineSetting({
    group: "Store",
    option: "sharedPolling",
    variables: ["FLAGS_SHARED_POLLING"],
    kind: booleanKind,
    default: true,
    description:
      "With Redis as the store: one of the replicas follows the upstream, and the others get its flags. false: each replica follows the upstream.",
  }),
  storeRegion: defineSetting({
    group: "Store",
    variables: ["AWS_REGION", "AWS_DEFAULT_REGION"],
    kind: textKind,
    default: undefined,
    description: "Region of the bucket, unless FLAGS_STORE contains it.",
  }),
  storeAccessKeyId: defineSetting({
    group: "Store",
    variables: ["AWS_ACCESS_KEY_ID"],
    kind: headerValueKind,
    default: undefined,
    defaultText: "the credentials of the role",
    secret: true,
    description: "AWS access key id for the bucket.",
  }),
  storeSecretAccessKey: defineSetting({
    group: "Store",
    variables: ["AWS_SECRET_ACCESS_KEY"],
    kind: headerValueKind,
    default: undefined,
    defaultText: "the credentials of the role",
    secret: true,
    description: "AWS secret access key for the bucket.",
  }),
  storeSessionToken: defineSetting({
    group: "Store",
    variables: ["AWS_SESSION_TOKEN"],
    kind: headerValueKind,
    default: undefined,
    secret: true,
    description: "Session token of temporary credentials.",
  }),
  accessFile: defineSetting({
    group: "Clients",
    option: "accessFile",
    variables: ["FLAGS_ACCESS_FILE"],
    kind: pathKind,
    default: undefined,
    description:
      "YAML or JSON file with additional keys and their permissions. Changes apply without a restart. With it, FLAGS_PROXY_CLIENT_KEYS is optional.",
  }),
  upstreamKeys: defineSetting({
    group: "Clients",
    option: "upstreamKeys.enabled",
    variables: ["FLAGS_UPSTREAM_KEYS"],
    kind: booleanKind,
    default: false,
    description:
      "Also accepts frontend and backend tokens that the upstream has issued. The upstream verifies each token when it is first used. With it, FLAGS_PROXY_CLIENT_KEYS is optional.",
  }),
  upstreamKeysInterval: defineSetting({
    group: "Clients",
    option: "upstreamKeys.interval",
    variables: ["FLAGS_UPSTREAM_KEYS_INTERVAL"],
    kind: createIntegerKind({ min: 1000, max: 604_800_000, of: "milliseconds" }),
    default: 60_000,
    description:
      "Milliseconds within which a token that was revoked in the upstream is rejected. All tokens in use are verified again within this time.",
  }),
  upstreamKeysMaxAge: defineSetting({
    group: "Clients",
    option: "upstreamKeys.maxAge",
    variables: ["FLAGS_UPSTREAM_KEYS_MAX_AGE"],
    kind: createIntegerKind({ min: 0, max: 604_800_000, of: "milliseconds" }),
    default: 604_800_000,
    defaultText: "604800000 (7 days)",
    description:
      "Milliseconds for which the last verification of a token counts while the upstream fails or is slow, also after a restart with FLAGS_STORE. With 0, tokens are rejected with a 503 when the upstream has not confirmed them within FLAGS_UPSTREAM_KEYS_INTERVAL.",
  }),
  clientKeysHeaderName: defineSetting({
    group: "Clients",
    option: "clientKeysHeaderName",
    variables: ["CLIENT_KEY_HEADER_NAME"],
    kind: headerNameKind,
    default: "authorization",
    description: "Name of the header that contains the client key.",
  }),
  proxySecrets: defineSetting({
    group: "Clients",
    option: "proxySecrets",
    variables: ["FLAGS_PROXY_SECRETS"],
    kind: keysKind,
    default: undefined,
    secret: true,
    description: "Deprecated name of FLAGS_PROXY_CLIENT_KEYS, which takes precedence.",
  }),
  environment: defineSetting({
    group: "Clients",
    option: "environment",
    variables: ["FLAGS_ENVIRONMENT"],
    kind: textKind,
    default: undefined,
    description:
      "Value of the field environment in every context. Clients cannot change it. Does not select the environment whose flags are served: the upstream token does.",
  }),
  enableAllEndpoint: defineSetting({
    group: "Endpoints",
    option: "enableAllEndpoint",
    variables: ["ENABLE_ALL_ENDPOINT"],
    kind: booleanKind,
    default: false,
    description:
      "Serves /proxy/all and its equivalents in the other APIs, which return disabled flags too.",
  }),
  enableExplain: defineSetting({
    group: "Endpoints",
    option: "enableExplain",
    variables: ["ENABLE_EXPLAIN"],
    kind: booleanKind,
    default: false,
    description:
      "Serves /proxy/explain, which says why a flag is on or off for a context. It requires a server token, " +
      "or a key with `explain` in the access file, since explanations contain strategies.",
  }),
  enableOAS: defineSetting({
    group: "Endpoints",
    option: "enableOAS",
    variables: ["ENABLE_OAS"],
    kind: booleanKind,
    default: false,
    description: "Serves the OpenAPI document and its UI under /docs/openapi.",
  }),
  maxStaleness: defineSetting({
    group: "Endpoints",
    option: "maxStaleness",
    variables: ["FLAGS_MAX_STALENESS"],
    kind: createIntegerKind({ min: 1, max: 31_536_000_000, of: "milliseconds" }),
    default: undefined,
    defaultText: "any age",
    description:
      "Milliseconds after which flags that the upstream has not confirmed are too old: /ready then returns 503. Requests are still served.",
  }),
  ageHeader: defineSetting({
    group: "Endpoints",
    option: "ageHeader",
    variables: ["FLAGS_AGE_HEADER"],
    kind: booleanKind,
    default: false,
    description:
      "Adds the header X-Flags-Age-Seconds to responses to clients: the time since their flags were confirmed. Definitions for server SDKs and other proxies always have it.",
  }),
  ofrepEventStreams: defineSetting({
    group: "Endpoints",
    option: "ofrepEventStreams",
    variables: ["OFREP_EVENT_STREAMS"],
    kind: booleanKind,
    default: false,
    description:
      "Announces an event stream to OpenFeature clients, which notifies them when to fetch flags again.",
  }),
  ofrepValues: defineSetting({
    group: "Endpoints",
    option: "ofrepValues",
    variables: ["OFREP_VALUES"],
    kind: createChoiceKind(OFREP_VALUES),
    default: "boolean",
    description:
      "The value of a flag for OpenFeature clients. boolean: whether the flag is on; payload: the payload of its variant, or whether the flag is on if it has none.",
  }),
  usageMetricsApplications: defineSetting({
    group: "Endpoints",
    option: "usageMetricsApplications",
    variables: ["FLAGS_USAGE_METRICS_APPLICATIONS"],
    kind: applicationsKind,
    default: [],
    defaultText: "none: usage is not counted",
    description:
      "Names of applications, separated by commas, whose usage of each flag is counted in the metric flags_proxy_flag_usage_total. The usage of all other applications counts as other.",
  }),
  pushMaxStreams: defineSetting({
    group: "Push",
    option: "push.maxStreams",
    variables: ["FLAGS_PUSH_MAX_STREAMS"],
    kind: createIntegerKind({ min: 0, max: 1_000_000 }),
    default: 10_000,
    description: "Maximum number of open streams to clients. 0 disables /proxy/stream.",
  }),
  pushMaxStreamsPerKey: defineSetting({
    group: "Push",
    option: "push.maxStreamsPerKey",
    variables: ["FLAGS_PUSH_MAX_STREAMS_PER_KEY"],
    kind: createIntegerKind({ min: 1, max: 1_000_000 }),
    default: undefined,
    defaultText: "all with one key, otherwise half",
    description:
      "Maximum number of open streams per client key. The memory for contexts is limited in the same proportion.",
  }),
  pushMaxContextBytes: defineSetting({
    group: "Push",
    option: "push.maxContextBytes",
    variables: ["FLAGS_PUSH_MAX_CONTEXT_BYTES"],
    kind: createIntegerKind({ min: 65_536, max: 17_179_869_184, of: "bytes" }),
    default: 67_108_864,
    description:
      "Memory limit for the contexts of all open streams, in bytes. A stream that would exceed it gets a 503.",
  }),
  pushMaxAge: defineSetting({
    group: "Push",
    option: "push.maxAge",
    variables: ["FLAGS_PUSH_MAX_AGE"],
    kind: createIntegerKind({ min: 1, max: 86_400, of: "seconds" }),
    default: 1800,
    description: "Maximum age of a stream in seconds. Clients reconnect automatically.",
  }),
  pushSecret: defineSetting({
    group: "Push",
    option: "push.secret",
    variables: ["FLAGS_PUSH_SECRET"],
    kind: textKind,
    default: undefined,
    defaultText: "the upstream token, or random with files",
    secret: true,
    description:
      "Secret that encrypts the context in stream URLs. Replicas with the same secret accept each other's URLs.",
  }),
  corsAllowedHeaders: defineSetting({
    group: "CORS",
    option: "cors.allowedHeaders",
    variables: ["CORS_ALLOWED_HEADERS"],
    kind: headerNamesKind,
    default: undefined,
    description:
      "Allowed request headers. If not set: those that SDKs send, and any that a preflight requests.",
  }),
  corsCredentials: defineSetting({
    group: "CORS",
    option: "cors.credentials",
    variables: ["CORS_CREDENTIALS"],
    kind: booleanKind,
    default: false,
    description: "Allows browsers to send credentials.",
  }),
  corsExposedHeaders: defineSetting({
    group: "CORS",
    option: "cors.exposedHeaders",
    variables: ["CORS_EXPOSED_HEADERS"],
    kind: headerNamesKind,
    default: ["ETag"],
    description: "Response headers that scripts can read.",
  }),
  corsMaxAge: defineSetting({
    group: "CORS",
    option: "cors.maxAge",
    variables: ["CORS_MAX_AGE"],
    kind: createIntegerKind({ min: 0, max: 2_147_483_647, of: "seconds" }),
    default: 172_800,
    description: "Seconds for which browsers may cache the response to a preflight.",
  }),
  corsMethods: defineSetting({
    group: "CORS",
    option: "cors.methods",
    variables: ["CORS_METHODS"],
    kind: methodsKind,
    default: ["GET", "POST"],
    description: "Allowed methods.",
  }),
  corsOptionsSuccessStatus: defineSetting({
    group: "CORS",
    option: "cors.optionsSuccessStatus",
    variables: ["CORS_OPTIONS_SUCCESS_STATUS"],
    kind: createIntegerKind({ min: 200, max: 299 }),
    default: 204,
    description: "Status of the response to a preflight.",
  }),
  corsOrigin: defineSetting({
    group: "CORS",
    option: "cors.origin",
    variables: ["CORS_ORIGIN"],
    kind: originsKind,
    default: "*",
    description:
      "Allowed origins, separated by commas; * allows all. In code, also true, false, regular expressions or a function.",
  }),
  corsPreflightContinue: defineSetting({
    group: "CORS",
    option: "cors.preflightContinue",
    variables: ["CORS_PREFLIGHT_CONTINUE"],
    kind: booleanKind,
    default: false,
    description: "Passes preflights on to the routes instead of responding to them.",
  }),
  logger: defineSetting({
    group: "Logging",
    option: "logger",
    variables: [],
    kind: loggerKind,
    default: undefined,
    defaultText: "built in",
    description:
      "Logger to use instead of the built-in one: any object with the methods of console.",
  }),
  useJsonLogger: defineSetting({
    group: "Logging",
    option: "useJsonLogger",
    variables: ["JSON_LOGGER"],
    kind: booleanKind,
    default: false,
    description: "Writes one line of JSON per message. Has no effect on a custom logger.",
  }),
  logLevel: defineSetting({
    group: "Logging",
    option: "logLevel",
    variables: ["LOG_LEVEL"],
    kind: createChoiceKind(LOG_LEVELS),
    default: "warn",
    description:
      "Lowest level that is logged: debug, info, warn, error or fatal. Has no effect on a custom logger.",
  }),
  evaluationIdKey: defineSetting({
    group: TELEMETRY_GROUP,
    variables: ["FLAGS_EVALUATION_ID_KEY"],
    kind: textKind,
    default: undefined,
    secret: true,
    description:
      "Secret with which user ids are hashed (HMAC-SHA256) for feature_flag.evaluation events. Without it, events do not identify the user.",
  }),
  ...TELEMETRY_SETTINGS,
  customStrategies: defineSetting({
    group: "Extensions",
    option: "customStrategies",
    variables: ["FLAGS_CUSTOM_STRATEGIES_FILE"],
    kind: strategiesKind,
    default: [],
    defaultText: "empty list",
    description:
      "Files that export lists of custom activation strategies, separated by commas; in code, also the strategies themselves.",
  }),
  bootstrapUrl: defineSetting({
    group: "Experimental",
    option: "expBootstrap.url",
    variables: ["EXP_BOOTSTRAP_URL"],
    kind: urlKind,
    default: undefined,
    description: "URL from which flags are loaded until the upstream responds.",
  }),
  bootstrapAuthorization: defineSetting({
    group: "Experimental",
    option: "expBootstrap.urlHeaders.Authorization",
    variables: ["EXP_BOOTSTRAP_AUTHORIZATION"],
    kind: headerValueKind,
    default: undefined,
    secret: true,
    secretTexts: secretsInHeader,
    description: "Authorization header sent to the bootstrap URL.",
  }),
  bootstrapHeaders: defineSetting({
    group: "Experimental",
    option: "expBootstrap.urlHeaders",
    variables: [],
    kind: headersKind,
    default: {},
    defaultText: "none",
    secret: true,
    secretTexts: secretsInHeaders,
    description: "All headers sent to the bootstrap URL.",
  }),
  serverTokens: defineSetting({
    group: "Experimental",
    option: "expServerSideSdkConfig.tokens",
    variables: ["EXP_SERVER_SIDE_SDK_CONFIG_TOKENS"],
    kind: tokensKind,
    default: [],
    defaultText: "none",
    secret: true,
    description:
      "Tokens that allow server SDKs and other proxies to read definitions from this proxy, separated by commas.",
  }),
  customEnrichers: defineSetting({
    group: "Experimental",
    option: "expCustomEnrichers",
    variables: ["EXP_CUSTOM_ENRICHERS_FILE"],
    kind: enrichersKind,
    default: [],
    defaultText: "empty list",
    description:
      "File that exports a list of context enrichers; in code, a list of enrichers and files.",
  }),
};

export type Settings = typeof SETTINGS;
export type SettingName = keyof Settings;

/** The values of all settings. An invalid value is replaced by the default. */
export type Values = ValuesOf<Settings>;
