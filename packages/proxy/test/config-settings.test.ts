import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { defaultMaxConnections, type Environment, readOpenFileLimit } from "flags-server-kit";
import { TELEMETRY_GROUP } from "flags-server-kit/command-line";
import { afterAll, describe, expect, test } from "vitest";
import type { LoadedConfig } from "../src/config/assemble-config.ts";
import { loadConfig } from "../src/config/load-config.ts";
import type { OptionName, ProxyOptions } from "../src/config/options.ts";
import { SETTINGS } from "../src/config/settings.ts";

const REQUIRED: Environment = {
  FLAGS_URL: "http://upstream.test/api",
  FLAGS_API_TOKEN: "default:development.upstream-token",
  FLAGS_PROXY_CLIENT_KEYS: "some-key",
};

const silent = { debug() {}, info() {}, warn() {}, error() {}, fatal() {} };

const load = (options: ProxyOptions, environment: Environment): Promise<LoadedConfig> =>
  loadConfig({ logger: silent, ...options }, { ...REQUIRED, ...environment });

/** Values of one kind, as text of a variable and as values of an option. */
interface Examples {
  /** Texts of the variable, and the expected values. */
  readonly texts: readonly (readonly [text: string, expected: unknown])[];
  /** Values of the option, and the expected values. The first ones also override the first text. */
  readonly values?: readonly (readonly [value: unknown, expected: unknown])[];
  readonly badTexts?: readonly string[];
  readonly badValues?: readonly unknown[];
}

/** A setting, where to find its value in the configuration, its default, and examples. */
interface Row extends Examples {
  /** Not set: only the environment can change the setting. */
  readonly option?: OptionName;
  readonly variable: string;
  readonly read: (config: LoadedConfig) => unknown;
  readonly defaultValue: unknown;
}

const BOOLEAN: Examples = {
  texts: [
    ["true", true],
    ["false", false],
    ["TRUE", true],
    ["1", true],
    ["0", false],
  ],
  values: [
    [false, false],
    [true, true],
  ],
  badTexts: ["yes", "2", "truth"],
  badValues: ["true", 1, null],
};

const BUCKET = {
  kind: "s3",
  bucket: "flags-bucket",
  prefix: "",
  endpoint: undefined,
  region: undefined,
  style: "virtual",
};

const ADDRESSES: Examples = {
  texts: [
    ["10.0.0.1", ["10.0.0.1"]],
    ["10.0.0.0/8, fd00::/8,loopback", ["10.0.0.0/8", "fd00::/8", "loopback"]],
  ],
  values: [[["10.0.0.1"], ["10.0.0.1"]]],
  badTexts: ["here", "10.0.0.0/33", "10.0.0.0/0", ","],
  badValues: [[], true, 1, ["x"]],
};

const INTERVAL: Examples = {
  texts: [
    ["1234", 1234],
    ["0", 0],
    [" 10 ", 10],
  ],
  values: [
    [0, 0],
    [77, 77],
  ],
  badTexts: ["soon", "-1", "1.5", "1e3", "5s", "1000000001", "Infinity"],
  badValues: ["5000", Number.NaN, -1, 0.5],
};

const TEXT: Examples = {
  texts: [
    ["from the environment", "from the environment"],
    [" trimmed ", "trimmed"],
  ],
  values: [["from code", "from code"]],
  badTexts: ["two\nlines"],
  badValues: ["", 5, null, ["a"]],
};

/** An integer with limits. */
function integer(min: number, max: number): Examples {
  const limits = [min, max];
  return {
    texts: limits.map((value) => [String(value), value]),
    values: limits.map((value) => [value, value]),
    badTexts: ["many", "1.5", "1e3", "5s", "Infinity", String(min - 1), String(max + 1)],
    badValues: [String(min), min + 0.5, min - 1, max + 1, Number.POSITIVE_INFINITY, null],
  };
}

/** `nest("cors.maxAge", 5)` is `{ cors: { maxAge: 5 } }`. */
function nest(option: string, value: unknown): object {
  return option
    .split(".")
    .reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) as object;
}

function row(
  option: OptionName,
  variable: string,
  read: Row["read"],
  defaultValue: unknown,
  examples: Examples,
): Row {
  return { option, variable, read, defaultValue, ...examples };
}

/** A folder that exists during the tests. */
const FOLDER = mkdtempSync(join(tmpdir(), "flags-settings-"));
afterAll(() => rmSync(FOLDER, { recursive: true }));

const originFunction = (): void => {};
const TAG = [{ name: "a", value: "b" }];

const ROWS: readonly Row[] = [
  {
    option: "flagsUrl",
    variable: "FLAGS_URL",
    read: (config) => config.upstreamUrl,
    defaultValue: REQUIRED["FLAGS_URL"],
    texts: [["https://flags.test/api/", "https://flags.test/api/"]],
    values: [["http://code.test", "http://code.test"]],
    badTexts: [
      "flags.test",
      "ftp://flags.test",
      "http://",
      "http://u:p@a.test",
      "http://a.test/?x",
    ],
    badValues: ["", 4242, new URL("http://a.test")],
  },
  {
    option: "flagsApiToken",
    variable: "FLAGS_API_TOKEN",
    read: (config) => config.upstreamTokens,
    defaultValue: [REQUIRED["FLAGS_API_TOKEN"]],
    texts: [["*:development.abc", ["*:development.abc"]]],
    values: [
      ["code-token", ["code-token"]],
      [["a-token"], ["a-token"]],
    ],
    badTexts: ["tökén", "line\nbreak", " , "],
    badValues: ["", 5, []],
  },
  {
    option: "clientKeys",
    variable: "FLAGS_PROXY_CLIENT_KEYS",
    read: (config) => config.clientKeys,
    defaultValue: ["some-key"],
    texts: [
      ["a-key, b-key,,", ["a-key", "b-key"]],
      ["a-key,a-key", ["a-key"]],
    ],
    values: [
      [["code-key"], ["code-key"]],
      ["one,two", ["one", "two"]],
      [[" one ", ""], ["one"]],
    ],
    badTexts: [",", " , ", "ключ", "tab\tand\u0001control"],
    badValues: [[], [5], {}, [""]],
  },
  {
    option: "port",
    variable: "PORT",
    read: (config) => config.port,
    defaultValue: 3000,
    ...integer(0, 65_535),
    badTexts: ["99999", "-1", "http", "80.5", "tcp://10.0.0.1:3000"],
  },
  {
    option: "port",
    variable: "PROXY_PORT",
    read: (config) => config.port,
    defaultValue: 3000,
    texts: [["8081", 8081]],
    values: [[5, 5]],
    badTexts: ["99999"],
  },
  {
    option: "host",
    variable: "HOST",
    read: (config) => config.host,
    defaultValue: undefined,
    texts: [
      ["127.0.0.1", "127.0.0.1"],
      ["::1", "::1"],
      ["flags.internal", "flags.internal"],
    ],
    values: [["0.0.0.0", "0.0.0.0"]],
    badTexts: ["http://localhost", "a b", "localhost:3000"],
    badValues: [5],
  },
  {
    option: "proxyBasePath",
    variable: "PROXY_BASE_PATH",
    read: (config) => config.basePath,
    defaultValue: "",
    texts: [
      ["base/path", "/base/path"],
      ["/base/path/", "/base/path"],
      ["/", ""],
      ["//a//b", "/a/b"],
    ],
    values: [
      ["", ""],
      ["/x", "/x"],
    ],
    badTexts: ["a b", "../up", "a?b", ":id", "*"],
    badValues: [5],
  },
  {
    variable: "FLAGS_PROXY_WORKERS",
    read: (config) => config.workers,
    defaultValue: 1,
    texts: [
      ["4", 4],
      ["auto", availableParallelism()],
      ["Auto", availableParallelism()],
    ],
    badTexts: ["0", "257", "-1", "1.5", "all", "auto,2"],
  },
  {
    variable: "FLAGS_PROXY_WORKER_TIMEOUT",
    read: (config) => config.workerTimeoutMs,
    defaultValue: 15_000,
    ...integer(1000, 3_600_000),
    values: [],
    badValues: [],
    badTexts: ["0", "999", "3600001", "1.5", "15s"],
  },
  {
    variable: "SHUTDOWN_DELAY",
    read: (config) => config.shutdownDelayMs,
    defaultValue: 5000,
    ...integer(0, 600_000),
    values: [],
    badValues: [],
    badTexts: ["-1", "600001", "1.5", "5s"],
  },
  {
    option: "maxConnections",
    variable: "FLAGS_MAX_CONNECTIONS",
    read: (config) => config.maxConnections,
    // NOTE: depends on the open-file limit of this machine.
    defaultValue: defaultMaxConnections(10_000, { limit: readOpenFileLimit() }),
    ...integer(1, 1_000_000),
  },
  {
    option: "trustProxy",
    variable: "TRUST_PROXY",
    read: (config) => config.trustProxy,
    defaultValue: false,
    texts: [
      ["true", true],
      ["false", false],
      ["10.0.0.1", ["10.0.0.1"]],
      ["10.0.0.1,192.168.0.0/16", ["10.0.0.1", "192.168.0.0/16"]],
      ["::1, fd00::/8 ,loopback", ["::1", "fd00::/8", "loopback"]],
      ["1", 1],
      ["0", false],
    ],
    values: [
      [false, false],
      [true, true],
      ["10.0.0.0/8", ["10.0.0.0/8"]],
      [["10.0.0.0/8"], ["10.0.0.0/8"]],
      [[], false],
      [2, 2],
      [0, false],
    ],
    badTexts: [
      "yes",
      "-1",
      "1.5",
      "101",
      "1,2",
      "10.0.0",
      "10.0.0.0/33",
      "10.0.0.0/0",
      "fd00::/129",
      "10.0.0.1,here",
      "10.0.0.1/8/8",
    ],
    badValues: [-1, 1.5, Number.NaN, {}, ["x"]],
  },
  {
    option: "allowedHosts",
    variable: "ALLOWED_HOSTS",
    read: (config) => config.allowedHosts,
    defaultValue: [],
    texts: [
      ["flags-proxy", ["flags-proxy"]],
      ["flags.example.com, 10.0.0.1,2001:db8::1", ["flags.example.com", "10.0.0.1", "2001:db8::1"]],
    ],
    values: [
      [
        ["a", "b"],
        ["a", "b"],
      ],
    ],
    badTexts: [
      "flags-proxy:3000",
      "http://flags-proxy",
      "*.example.com",
      "*",
      "[::1]",
      "a b",
      "a/b",
      "a.",
    ],
    badValues: [1, {}, [1]],
  },
  {
    option: "allowList",
    variable: "FLAGS_ALLOW_LIST",
    read: (config) => config.network.allowList,
    defaultValue: undefined,
    ...ADDRESSES,
  },
  {
    option: "denyList",
    variable: "FLAGS_DENY_LIST",
    read: (config) => config.network.denyList,
    defaultValue: [],
    ...ADDRESSES,
  },
  {
    option: "management.port",
    variable: "FLAGS_MANAGEMENT_PORT",
    read: (config) => config.network.management?.port,
    defaultValue: undefined,
    ...integer(0, 65_535),
  },
  {
    option: "httpOptions.timeout",
    variable: "FLAGS_UPSTREAM_TIMEOUT",
    read: (config) => config.network.upstream.timeoutMs,
    defaultValue: 10_000,
    ...integer(1, 600_000),
  },
  {
    option: "httpOptions.headers",
    variable: "FLAGS_UPSTREAM_HEADERS",
    read: (config) => config.network.upstream.headers,
    defaultValue: {},
    texts: [
      ["X-Team: web", { "X-Team": "web" }],
      ["x-a:1, x-b: two words ,", { "x-a": "1", "x-b": "two words" }],
      ["x-a: 1, 2\nx-b: http://b:1", { "x-a": "1, 2", "x-b": "http://b:1" }],
    ],
    values: [
      [{ "x-c": "3" }, { "x-c": "3" }],
      [["x-c: 3, 4", "x-d: 5"], { "x-c": "3, 4", "x-d": "5" }],
      ["x-c: 3", { "x-c": "3" }],
    ],
    badTexts: [
      "x-a",
      ": 1",
      "x-a:",
      "x a: 1",
      "x-a: 1, x-a: 2",
      "x-a: 1, X-A: 2",
      "authorization: secret",
      "Host: other",
      "x-a: \u00e4",
    ],
    badValues: [1, [1], { "x-c": 1 }, { Authorization: "x" }],
  },
  row("flagsAppName", "FLAGS_APP_NAME", (config) => config.appName, "flags-proxy", TEXT),
  row(
    "flagsInstanceId",
    "FLAGS_INSTANCE_ID",
    (config) => config.instanceId,
    expect.stringMatching(/^\S+-[0-9a-f]{8}$/),
    TEXT,
  ),
  {
    option: "synchronization",
    variable: "FLAGS_SYNCHRONIZATION",
    read: (config) => config.synchronization,
    defaultValue: "polling",
    texts: [
      ["streaming", "streaming"],
      ["delta", "delta"],
      ["polling", "polling"],
    ],
    values: [
      ["delta", "delta"],
      ["polling", "polling"],
    ],
    badTexts: ["push", "true", "stream"],
    badValues: ["push", true],
  },
  row(
    "refreshInterval",
    "FLAGS_FETCH_INTERVAL",
    (config) => config.refreshIntervalMs,
    5000,
    INTERVAL,
  ),
  row(
    "metricsInterval",
    "FLAGS_METRICS_INTERVAL",
    (config) => config.metricsIntervalMs,
    30_000,
    INTERVAL,
  ),
  row(
    "usageMetricsApplications",
    "FLAGS_USAGE_METRICS_APPLICATIONS",
    (config) => config.usageMetricsApplications,
    [],
    {
      texts: [["web, ios app", ["web", "ios app"]]],
      values: [[["web"], ["web"]]],
      badTexts: ["a".repeat(101), "a\tb"],
      badValues: [1, { web: true }],
    },
  ),
  row("metricsJitter", "FLAGS_METRICS_JITTER", (config) => config.metricsJitterMs, 0, INTERVAL),
  row("usageSpool", "FLAGS_USAGE_SPOOL", (config) => config.usageSpool.directory, undefined, {
    texts: [[join(FOLDER, "a"), join(FOLDER, "a")]],
    values: [[FOLDER, FOLDER]],
    badValues: [5],
  }),
  row(
    "usageSpoolMaxBytes",
    "FLAGS_USAGE_SPOOL_MAX_BYTES",
    (config) => config.usageSpool.maxBytes,
    134_217_728,
    integer(8_388_608, 17_179_869_184),
  ),
  row("projectName", "FLAGS_PROJECT_NAME", (config) => config.projectName, undefined, TEXT),
  row("namePrefix", "FLAGS_NAME_PREFIX", (config) => config.namePrefix, undefined, TEXT),
  {
    option: "tags",
    variable: "FLAGS_TAGS",
    read: (config) => config.tags,
    defaultValue: [],
    texts: [
      ["a:b", TAG],
      ["a:b,name:value", [...TAG, { name: "name", value: "value" }]],
      ["url:a:b", [{ name: "url", value: "a:b" }]],
    ],
    values: [
      [[], []],
      [TAG, TAG],
      ["a:b", TAG],
    ],
    badTexts: ["team", ":web", "team:"],
    badValues: [{}, [{ name: "a" }], [null], [{ name: "a", value: 1 }]],
  },
  row(
    "httpOptions.rejectUnauthorized",
    "HTTP_OPTIONS_REJECT_UNAUTHORIZED",
    (config) => config.rejectUnauthorized,
    true,
    BOOLEAN,
  ),
  ...["HTTP_PROXY", "http_proxy"].map((variable): Row => ({
    variable,
    read: (config) => config.httpProxy,
    defaultValue: undefined,
    texts: [["http://user:pass@proxy.test:3128", "http://user:pass@proxy.test:3128"]],
    badTexts: ["proxy.test:3128", "socks5://proxy.test", "http://u:%zz@proxy.test"],
  })),
  {
    variable: "HTTPS_PROXY",
    read: (config) => config.httpsProxy,
    defaultValue: undefined,
    texts: [["https://proxy.test", "https://proxy.test"]],
    badTexts: ["proxy"],
  },
  ...["ALL_PROXY", "all_proxy"].map((variable): Row => ({
    variable,
    read: (config) => config.httpProxy,
    defaultValue: undefined,
    texts: [["http://proxy.test:3128", "http://proxy.test:3128"]],
    badTexts: ["proxy", "socks5://proxy.test"],
  })),
  {
    variable: "NO_PROXY",
    read: (config) => config.noProxy,
    defaultValue: undefined,
    texts: [["localhost,.internal", "localhost,.internal"]],
  },
  row(
    "upstreamKeys.enabled",
    "FLAGS_UPSTREAM_KEYS",
    (config) => config.upstreamKeys !== undefined,
    false,
    BOOLEAN,
  ),
  {
    option: "clientKeysHeaderName",
    variable: "CLIENT_KEY_HEADER_NAME",
    read: (config) => config.clientKeysHeaderName,
    defaultValue: "authorization",
    texts: [["X-Flags-Key", "x-flags-key"]],
    values: [["NotAuthorization", "notauthorization"]],
    badTexts: ["x key", "x:key", "schlüssel"],
    badValues: ["", 1],
  },
  row("environment", "FLAGS_ENVIRONMENT", (config) => config.environment, undefined, TEXT),
  row("enableExplain", "ENABLE_EXPLAIN", (config) => config.explainEnabled, false, BOOLEAN),
  row(
    "enableAllEndpoint",
    "ENABLE_ALL_ENDPOINT",
    (config) => config.enableAllEndpoint,
    false,
    BOOLEAN,
  ),
  {
    option: "store",
    variable: "FLAGS_STORE",
    read: (config) => config.store?.address,
    defaultValue: undefined,
    texts: [
      ["file:/var/lib/flags", { kind: "file", directory: "/var/lib/flags" }],
      ["file:///var/lib/my%20flags", { kind: "file", directory: "/var/lib/my flags" }],
      ["FILE:state", { kind: "file", directory: "state" }],
      ["file:./100%25", { kind: "file", directory: "./100%" }],
      [
        "s3://flags-bucket?region=eu-north-1",
        { ...BUCKET, prefix: "", region: "eu-north-1", style: "virtual" },
      ],
      [
        "s3://flags-bucket/team/a/?endpoint=http://127.0.0.1:9000",
        { ...BUCKET, prefix: "team/a", endpoint: "http://127.0.0.1:9000", style: "path" },
      ],
      [
        "s3://flags.example/?region=eu-north-1&endpoint=https://s3.example/&style=virtual",
        {
          ...BUCKET,
          bucket: "flags.example",
          prefix: "",
          endpoint: "https://s3.example",
          region: "eu-north-1",
          style: "virtual",
        },
      ],
      [
        "redis+sentinel://user:secret@one,two:7000/main?prefix=a:",
        {
          kind: "redis",
          mode: "sentinel",
          isTls: false,
          hosts: [
            { host: "one", port: 26_379 },
            { host: "two", port: 7000 },
          ],
          user: "user",
          password: "secret",
          primaryName: "main",
          database: 0,
          prefix: "a:",
        },
      ],
    ],
    values: [["file:state", { kind: "file", directory: "state" }]],
    badTexts: [
      "/var/lib/flags",
      "file:",
      "file://server/flags",
      "file:/flags?prefix=a",
      "file:/flags#a",
      "file:/100%",
      "file:a%00b",
      "ftp://flags",
      "s3:flags-bucket",
      "s3://",
      "s3://Flags",
      "s3://key:secret@flags-bucket",
      "s3://flags-bucket/../other?region=a",
      "s3://flags-bucket/a%2fb?region=a",
      "s3://flags-bucket#a",
      "s3://flags-bucket?region=EU%20North",
      "s3://flags-bucket?region=a&prefix=b",
      "s3://flags-bucket?endpoint=127.0.0.1:9000",
      "s3://flags-bucket?endpoint=http://127.0.0.1:9000/path",
      "s3://flags-bucket?endpoint=http://user:secret@127.0.0.1:9000",
      "s3://flags-bucket?region=a&style=other",
      "redis://one,two",
      "redis+sentinel://one",
    ],
    badValues: [{ kind: "file" }, true],
  },
  row("sharedPolling", "FLAGS_SHARED_POLLING", (config) => config.sharesFlags, true, BOOLEAN),
  row("enableOAS", "ENABLE_OAS", (config) => config.openApiEnabled, false, BOOLEAN),
  row(
    "maxStaleness",
    "FLAGS_MAX_STALENESS",
    (config) => config.maxStalenessMs,
    undefined,
    integer(1, 31_536_000_000),
  ),
  row("ageHeader", "FLAGS_AGE_HEADER", (config) => config.ageHeader, false, BOOLEAN),
  row(
    "ofrepEventStreams",
    "OFREP_EVENT_STREAMS",
    (config) => config.ofrepEventStreams,
    false,
    BOOLEAN,
  ),
  {
    option: "ofrepValues",
    variable: "OFREP_VALUES",
    read: (config) => config.ofrepValues,
    defaultValue: "boolean",
    texts: [
      ["payload", "payload"],
      ["Boolean", "boolean"],
    ],
    values: [["payload", "payload"]],
    badTexts: ["true", "typed"],
    badValues: [true],
  },
  row(
    "push.maxStreams",
    "FLAGS_PUSH_MAX_STREAMS",
    (config) => config.push.maxStreams,
    10_000,
    integer(0, 1_000_000),
  ),
  row(
    "push.maxStreamsPerKey",
    "FLAGS_PUSH_MAX_STREAMS_PER_KEY",
    (config) => config.push.maxStreamsPerKey,
    undefined,
    integer(1, 1_000_000),
  ),
  row(
    "push.maxContextBytes",
    "FLAGS_PUSH_MAX_CONTEXT_BYTES",
    (config) => config.push.maxContextBytes,
    67_108_864,
    integer(65_536, 17_179_869_184),
  ),
  row(
    "push.maxAge",
    "FLAGS_PUSH_MAX_AGE",
    (config) => config.push.maxAgeSeconds,
    1800,
    integer(1, 86_400),
  ),
  row("push.secret", "FLAGS_PUSH_SECRET", (config) => config.push.secret, undefined, TEXT),
  {
    option: "cors.allowedHeaders",
    variable: "CORS_ALLOWED_HEADERS",
    read: (config) => config.cors.allowedHeaders,
    defaultValue: undefined,
    texts: [["authorization, x-one", ["authorization", "x-one"]]],
    values: [
      [[], []],
      ["a,b", ["a", "b"]],
    ],
    badTexts: ["x one", "a,b:c"],
    badValues: [5, [5]],
  },
  row("cors.credentials", "CORS_CREDENTIALS", (config) => config.cors.credentials, false, BOOLEAN),
  {
    option: "cors.exposedHeaders",
    variable: "CORS_EXPOSED_HEADERS",
    read: (config) => config.cors.exposedHeaders,
    defaultValue: ["ETag"],
    texts: [["ETag,Retry-After", ["ETag", "Retry-After"]]],
    values: [[["X-One"], ["X-One"]]],
    badTexts: ["x one"],
  },
  row(
    "cors.maxAge",
    "CORS_MAX_AGE",
    (config) => config.cors.maxAgeSeconds,
    172_800,
    integer(0, 2_147_483_647),
  ),
  {
    option: "cors.methods",
    variable: "CORS_METHODS",
    read: (config) => config.cors.methods,
    defaultValue: ["GET", "POST"],
    texts: [["get, HEAD", ["GET", "HEAD"]]],
    values: [[["POST"], ["POST"]]],
    badTexts: ["GET POST", ","],
    badValues: [[]],
  },
  row(
    "cors.optionsSuccessStatus",
    "CORS_OPTIONS_SUCCESS_STATUS",
    (config) => config.cors.optionsSuccessStatus,
    204,
    integer(200, 299),
  ),
  {
    option: "cors.origin",
    variable: "CORS_ORIGIN",
    read: (config) => config.cors.origin,
    defaultValue: "*",
    texts: [
      ["https://app.test", ["https://app.test"]],
      ["https://App.test/, http://b.test:8080", ["https://app.test", "http://b.test:8080"]],
      ["*", "*"],
      ["capacitor://localhost", ["capacitor://localhost"]],
    ],
    values: [
      ["*", "*"],
      [["*"], "*"],
      [["https://a.test"], ["https://a.test"]],
      [true, true],
      [false, false],
      [/a/, /a/],
      [
        ["https://A.test", /b/],
        ["https://a.test", /b/],
      ],
      [originFunction, originFunction],
    ],
    badTexts: ["app.test", "https://app.test/path", "*,https://app.test", "https://", ","],
    badValues: [[], 1, {}, [/a/, "nonsense"], [/a/, 1], ["*", /a/]],
  },
  row(
    "cors.preflightContinue",
    "CORS_PREFLIGHT_CONTINUE",
    (config) => config.cors.preflightContinue,
    false,
    BOOLEAN,
  ),
  row("useJsonLogger", "JSON_LOGGER", (config) => config.useJsonLogger, false, BOOLEAN),
  {
    option: "expBootstrap.url",
    variable: "EXP_BOOTSTRAP_URL",
    read: (config) => config.bootstrap?.url,
    defaultValue: undefined,
    texts: [["https://b.test/flags?x=1", "https://b.test/flags?x=1"]],
    values: [["http://c.test", "http://c.test"]],
    badTexts: ["file:///flags.json", "b.test"],
    badValues: [5],
  },
  {
    option: "expServerSideSdkConfig.tokens",
    variable: "EXP_SERVER_SIDE_SDK_CONFIG_TOKENS",
    read: (config) => config.serverTokens,
    defaultValue: [],
    texts: [["server-one,server-two", ["server-one", "server-two"]]],
    values: [
      [[], []],
      [["server-three"], ["server-three"]],
    ],
    badTexts: ["schlüssel"],
    badValues: [5],
  },
];

for (const { option, variable, read, defaultValue, texts, values, badTexts, badValues } of ROWS) {
  describe(`${option ?? "no option"} / ${variable}`, () => {
    const setOption = (value: unknown): object => nest(option ?? "", value);

    test("the setting has its default if nothing is set, or the variable is empty", async () => {
      expect(read(await load({}, {}))).toEqual(defaultValue);
      if (variable in REQUIRED) return;
      expect(read(await load({}, { [variable]: "" }))).toEqual(defaultValue);
      expect(read(await load({}, { [variable]: "  " }))).toEqual(defaultValue);
    });

    test.each(texts)("the setting %j is read from the environment", async (text, expected) => {
      expect(read(await load({}, { [variable]: text }))).toEqual(expected);
    });

    test.each(values ?? [])(
      "the option %j takes precedence over the variable",
      async (value, expected) => {
        const environment = { [variable]: texts[0]?.[0] };
        expect(read(await load(setOption(value), environment))).toEqual(expected);
      },
    );

    test.each(badTexts ?? [])(
      "the value %j of the variable is rejected, and the message names the variable",
      async (text) => {
        const message = new RegExp(`- ${variable} must be `);
        await expect(load({}, { [variable]: text })).rejects.toThrow(message);
      },
    );

    test.each((badValues ?? []).map((value) => ({ value })))(
      "the value $value of the option is rejected, and the message names the option",
      async ({ value }) => {
        const message = new RegExp(`- Option ${option} must be`);
        await expect(load(setOption(value), {})).rejects.toThrow(message);
      },
    );
  });
}

test.each([{ push: true }, { expBootstrap: "http://b.test" }, { expServerSideSdkConfig: [] }])(
  "rejects a group of options that is not an object: %j",
  async (options) => {
    const message = new RegExp(`- Option ${Object.keys(options)[0]} must be`);
    await expect(load(options as object, {})).rejects.toThrow(message);
  },
);

describe("expBootstrap.urlHeaders / EXP_BOOTSTRAP_AUTHORIZATION", () => {
  const url = "http://b.test";
  const environment = {
    EXP_BOOTSTRAP_URL: url,
    EXP_BOOTSTRAP_AUTHORIZATION: "Bearer env",
  };

  test("the headers are sent to the bootstrap address", async () => {
    const options = { expBootstrap: { url, urlHeaders: { "X-Key": "a" } } };
    expect((await load(options, {})).bootstrap).toEqual({ url, headers: { "X-Key": "a" } });
    const headers = { Authorization: "Bearer env" };
    expect((await load({}, environment)).bootstrap).toEqual({ url, headers });
  });

  test.each(["Authorization", "authorization"])(
    "the option %s takes precedence over the variable",
    async (name) => {
      const options = { expBootstrap: { urlHeaders: { [name]: "Bearer code" } } };
      const { bootstrap } = await load(options, environment);
      expect(bootstrap?.headers).toEqual({ [name]: "Bearer code" });
    },
  );

  test.each([{ Authorization: 5 }, { "bad name": "x" }, []])("rejects %j", async (urlHeaders) => {
    await expect(load({ expBootstrap: { url, urlHeaders } } as object, {})).rejects.toThrow(
      /- Option expBootstrap\.urlHeaders\b.* must be/,
    );
  });

  test("a string that no header can contain is rejected", async () => {
    await expect(load({}, { EXP_BOOTSTRAP_AUTHORIZATION: "schlüssel" })).rejects.toThrow(
      "- EXP_BOOTSTRAP_AUTHORIZATION must be ",
    );
  });
});

describe("proxySecrets / FLAGS_PROXY_SECRETS", () => {
  const { FLAGS_PROXY_CLIENT_KEYS: _, ...withoutKeys } = REQUIRED;

  test("proxySecrets is used in place of clientKeys, and logs a deprecation warning", async () => {
    const warnings: unknown[] = [];
    const logger = { ...silent, warn: (message: unknown) => warnings.push(message) };
    const environment = { ...withoutKeys, FLAGS_PROXY_SECRETS: "some-old-key" };
    const config = await loadConfig({ logger }, environment);
    expect(config.clientKeys).toEqual(["some-old-key"]);
    expect(warnings).toEqual([expect.stringMatching(/^FLAGS_PROXY_SECRETS is deprecated/)]);
  });

  test("proxySecrets has no effect if clientKeys is set in code or in the environment", async () => {
    const config = await load({ proxySecrets: ["old-key"] }, {});
    expect(config.clientKeys).toEqual(["some-key"]);
  });

  test("proxySecrets rejects the same values as clientKeys", async () => {
    const environment = { ...withoutKeys, FLAGS_PROXY_SECRETS: "," };
    const failure = loadConfig({}, environment);
    await expect(failure).rejects.toThrow("FLAGS_PROXY_SECRETS must be");
    await expect(failure).rejects.not.toThrow("is required");
  });
});

test("FLAGS_UPSTREAM_KEYS_INTERVAL applies to upstream keys, which make client keys optional", async () => {
  const { FLAGS_PROXY_CLIENT_KEYS: _, ...withoutKeys } = REQUIRED;
  const intervalOf = async (environment: Environment, options: ProxyOptions = {}) => {
    const variables = { ...withoutKeys, FLAGS_UPSTREAM_KEYS: "true", ...environment };
    const { upstreamKeys } = await loadConfig({ logger: silent, ...options }, variables);
    return upstreamKeys?.revalidationIntervalMs;
  };
  expect(await intervalOf({})).toBe(60_000);
  expect(await intervalOf({ FLAGS_UPSTREAM_KEYS_INTERVAL: "1000" })).toBe(1000);
  expect(await intervalOf({}, { upstreamKeys: { interval: 5000 } })).toBe(5000);
  const rejected = ["999", "604800001", "1 minute"].map((text) =>
    expect(intervalOf({ FLAGS_UPSTREAM_KEYS_INTERVAL: text })).rejects.toThrow(
      "- FLAGS_UPSTREAM_KEYS_INTERVAL must be ",
    ),
  );
  await Promise.all(rejected);
  await expect(intervalOf({ FLAGS_UPSTREAM_KEYS: "false" })).rejects.toThrow(
    "- FLAGS_PROXY_CLIENT_KEYS (option clientKeys) is required",
  );
});

test("FLAGS_UPSTREAM_KEYS_MAX_AGE is 7 days at most, and by default", async () => {
  const maxAgeOf = async (environment: Environment, options: ProxyOptions = {}) => {
    const variables = { ...REQUIRED, FLAGS_UPSTREAM_KEYS: "true", ...environment };
    const { upstreamKeys } = await loadConfig({ logger: silent, ...options }, variables);
    return upstreamKeys?.maxAgeMs;
  };
  expect(await maxAgeOf({})).toBe(7 * 24 * 60 * 60 * 1000);
  expect(await maxAgeOf({ FLAGS_UPSTREAM_KEYS_MAX_AGE: "0" })).toBe(0);
  expect(await maxAgeOf({}, { upstreamKeys: { maxAge: 5000 } })).toBe(5000);
  await expect(maxAgeOf({ FLAGS_UPSTREAM_KEYS_MAX_AGE: "604800001" })).rejects.toThrow(
    "- FLAGS_UPSTREAM_KEYS_MAX_AGE must be ",
  );
});

test("FLAGS_UPSTREAM_KEYS requires upstream tokens that name their environment", async () => {
  const environment = {
    FLAGS_UPSTREAM_KEYS: "true",
    FLAGS_API_TOKEN: "*:development.a-secret,another",
    FLAGS_PROXY_CLIENT_KEYS: "*:development.a-key",
  };
  await expect(load({}, environment)).rejects.toThrow(
    "- Entry 2 of FLAGS_API_TOKEN does not name its environment, which FLAGS_UPSTREAM_KEYS requires",
  );
});

test("HTTP_PROXY and HTTPS_PROXY take precedence over ALL_PROXY", async () => {
  const [one, other] = ["http://one.test", "http://other.test"];
  expect(await load({}, { ALL_PROXY: one, HTTP_PROXY: other })).toMatchObject({
    httpProxy: other,
    httpsProxy: one,
  });
  expect(await load({}, { ALL_PROXY: one, HTTPS_PROXY: other })).toMatchObject({
    httpProxy: one,
    httpsProxy: other,
  });
});

test("PORT takes precedence over PROXY_PORT", async () => {
  expect((await load({}, { PORT: "1", PROXY_PORT: "2" })).port).toBe(1);
  expect((await load({}, { PORT: "", PROXY_PORT: "2" })).port).toBe(2);
});

describe("SETTINGS", () => {
  test("SETTINGS contains every option and every variable once", () => {
    const options = Object.values(SETTINGS).flatMap(({ option }) => option ?? []);
    const variables = Object.values(SETTINGS).flatMap((setting) => [...setting.variables]);
    expect(options).toHaveLength(new Set(options).size);
    expect(variables).toHaveLength(new Set(variables).size);
  });

  test("every setting has a row in this test, except for variables with separate tests", () => {
    const tested = new Set(ROWS.map(({ variable }) => variable.toUpperCase()));
    const others = [
      "FLAGS_ACCESS_FILE",
      "FLAGS_PROXY_SECRETS",
      "EXP_BOOTSTRAP_AUTHORIZATION",
      "FLAGS_CUSTOM_STRATEGIES_FILE",
      "EXP_CUSTOM_ENRICHERS_FILE",
      "LOG_LEVEL",
      // In config-errors.test.ts and s3-store.test.ts.
      "AWS_REGION",
      "AWS_DEFAULT_REGION",
      "AWS_ACCESS_KEY_ID",
      "AWS_SECRET_ACCESS_KEY",
      "AWS_SESSION_TOKEN",
      // In redis-connection.test.ts and s3-store.test.ts.
      "FLAGS_STORE_CA_FILE",
      "FLAGS_STORE_PASSWORD",
      "FLAGS_UPSTREAM_KEYS_INTERVAL",
      "FLAGS_UPSTREAM_KEYS_MAX_AGE",
      // In network-settings.test.ts.
      "FLAGS_TLS_CERT_FILE",
      "FLAGS_TLS_KEY_FILE",
      "FLAGS_TLS_PORT",
      "FLAGS_TLS_REDIRECT",
      "FLAGS_TLS_CLIENT_CA_FILE",
      "FLAGS_MANAGEMENT_HOST",
      "FLAGS_UPSTREAM_CA_FILE",
      "FLAGS_UPSTREAM_CERT_FILE",
      "FLAGS_UPSTREAM_KEY_FILE",
    ];
    // Those of telemetry are tested in telemetry-config.test.ts of the server kit.
    const known = Object.values(SETTINGS)
      .filter(({ group }) => group !== TELEMETRY_GROUP)
      .flatMap(({ variables }) => [...variables]);
    const missing = known.filter((name) => !tested.has(name.toUpperCase()));
    expect(missing.toSorted()).toEqual(others.toSorted());
  });
});
