import type { Synchronization } from "flags-sdk";
import {
  booleanKind,
  createChoiceKind,
  createIntegerKind,
  pathKind,
  SettingGroup,
  textKind,
} from "flags-server-kit/settings";
import { forwardProxyKind } from "../address-setting-kinds.ts";
import { storageKind, tagsKind, upstreamHeadersKind } from "../proxy-setting-kinds.ts";

const upstream = new SettingGroup("Upstream");

// NOTE: timers are limited to 2 ** 31 - 1 ms, and an interval and its jitter are added up.
const intervalKind = createIntegerKind({ min: 0, max: 1_000_000_000, of: "milliseconds" });

const forwardProxy = {
  kind: forwardProxyKind,
  secret: true,
  secretTexts: (address: string) => {
    const { password } = new URL(address);
    return [password, decodeURIComponent(password)];
  },
};

// NOTE: repeats the values of the type, so that `--help` does not wait for the SDK to load.
const SYNCHRONIZATIONS = [
  "polling",
  "delta",
  "streaming",
] as const satisfies readonly Synchronization[];

export const UPSTREAM_SETTINGS = {
  appName: upstream.option("flagsAppName", "FLAGS_APP_NAME", {
    kind: textKind,
    default: "flags-proxy",
    description: "Application name sent upstream.",
  }),
  instanceId: upstream.option("flagsInstanceId", "FLAGS_INSTANCE_ID", {
    kind: textKind,
    defaultText: "generated",
    description: "Instance id sent upstream.",
  }),
  synchronization: upstream.option("synchronization", "FLAGS_SYNCHRONIZATION", {
    kind: createChoiceKind(SYNCHRONIZATIONS),
    default: "polling",
    description:
      "How to receive changes from the upstream: polling fetches all flags at intervals, delta fetches only changes at intervals, and streaming receives changes immediately. If delta or streaming fails, the proxy polls.",
  }),
  refreshIntervalMs: upstream.option("refreshInterval", "FLAGS_FETCH_INTERVAL", {
    kind: intervalKind,
    default: 5000,
    description: "Milliseconds between upstream polls. 0 fetches once.",
  }),
  metricsIntervalMs: upstream.option("metricsInterval", "FLAGS_METRICS_INTERVAL", {
    kind: intervalKind,
    default: 30_000,
    description: "Milliseconds between usage reports to the upstream. 0 disables them.",
  }),
  metricsJitterMs: upstream.option("metricsJitter", "FLAGS_METRICS_JITTER", {
    kind: intervalKind,
    default: 0,
    description:
      "Maximum random delay in milliseconds that is added to each interval between usage reports.",
  }),
  usageSpool: upstream.option("usageSpool", "FLAGS_USAGE_SPOOL", {
    kind: pathKind,
    description:
      "Directory that keeps accepted usage, impact metrics and registrations until they are delivered, so that they survive if the process is killed. Each proxy needs its own directory.",
  }),
  usageSpoolMaxBytes: upstream.option("usageSpoolMaxBytes", "FLAGS_USAGE_SPOOL_MAX_BYTES", {
    kind: createIntegerKind({ min: 8_388_608, max: 17_179_869_184, of: "bytes" }),
    default: 134_217_728,
    description:
      "Maximum disk space for the usage of each environment, in bytes. A value below the default also reduces the memory for usage, in proportion.",
  }),
  projectName: upstream.option("projectName", "FLAGS_PROJECT_NAME", {
    kind: textKind,
    description:
      "Project id: only flags of this project are requested; the proxy ignores all others.",
  }),
  namePrefix: upstream.option("namePrefix", "FLAGS_NAME_PREFIX", {
    kind: textKind,
    description:
      "Only flags whose names start with this prefix are requested; the proxy ignores all others.",
  }),
  tags: upstream.option("tags", "FLAGS_TAGS", {
    kind: tagsKind,
    default: [],
    description:
      "Only flags with these tags are requested: name:value,name2:value2. Implies polling, regardless of FLAGS_SYNCHRONIZATION.",
  }),
  storageProvider: upstream.option("storageProvider", [], {
    kind: storageKind,
    defaultText: "in memory",
    description: "Storage that keeps flags across restarts.",
  }),
  rejectUnauthorized: upstream.option(
    "httpOptions.rejectUnauthorized",
    "HTTP_OPTIONS_REJECT_UNAUTHORIZED",
    {
      kind: booleanKind,
      default: true,
      description: "Rejects an upstream whose certificate cannot be verified.",
    },
  ),
  upstreamCaFile: upstream.option("httpOptions.caFile", "FLAGS_UPSTREAM_CA_FILE", {
    kind: textKind,
    description:
      "Path of a PEM file with certificates of certificate authorities (CAs) to trust, in addition to those that Node trusts.",
  }),
  upstreamCertFile: upstream.option("httpOptions.certFile", "FLAGS_UPSTREAM_CERT_FILE", {
    kind: textKind,
    description:
      "Path of a PEM file with the client certificate for the upstream. Read at startup.",
  }),
  upstreamKeyFile: upstream.option("httpOptions.keyFile", "FLAGS_UPSTREAM_KEY_FILE", {
    kind: textKind,
    description: "Path of a PEM file with the private key of the client certificate.",
  }),
  upstreamHeaders: upstream.option("httpOptions.headers", "FLAGS_UPSTREAM_HEADERS", {
    kind: upstreamHeadersKind,
    default: {},
    secret: true,
    description:
      "Headers added to every request to the upstream: Name: value, separated by commas, or one per line if values contain commas.",
  }),
  upstreamTimeout: upstream.option("httpOptions.timeout", "FLAGS_UPSTREAM_TIMEOUT", {
    kind: createIntegerKind({ min: 1, max: 600_000, of: "milliseconds" }),
    default: 10_000,
    description:
      "Milliseconds that a whole request to the upstream may take, including the connection and the transfer of all flags.",
  }),
  httpProxy: upstream.variable(["HTTP_PROXY", "http_proxy"], {
    ...forwardProxy,
    description: "Proxy server for requests to http:// addresses.",
  }),
  httpsProxy: upstream.variable(["HTTPS_PROXY", "https_proxy"], {
    ...forwardProxy,
    description: "Proxy server for requests to https:// addresses.",
  }),
  allProxy: upstream.variable(["ALL_PROXY", "all_proxy"], {
    ...forwardProxy,
    description:
      "Proxy server for requests to addresses for which HTTP_PROXY or HTTPS_PROXY is not set.",
  }),
  noProxy: upstream.variable(["NO_PROXY", "no_proxy"], {
    kind: textKind,
    description:
      "Hosts, IP addresses and CIDR ranges to connect to without a proxy server, separated by commas.",
  }),
};
