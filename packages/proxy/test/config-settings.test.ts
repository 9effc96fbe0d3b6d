import { availableParallelism } from "node:os";
import { defaultMaxConnections, type Environment, readOpenFileLimit } from "flags-server-kit";
import { describe, expect, test } from "vitest";
import type { LoadedConfig } from "../src/config/assemble-config.ts";
import type { ProxyConfig } from "../src/config/config.ts";
import { loadConfig } from "../src/config/load-config.ts";
import type { OptionName, ProxyOptions } from "../src/config/options.ts";
import { SETTINGS } from "../src/config/settings.ts";

const REQUIRED: Environment = {
  FLAGS_URL: "http://upstream.test/api",
  FLAGS_API_TOKEN: "upstream-token",
  FLAGS_PROXY_CLIENT_KEYS: "some-key",
};

const load = (options: ProxyOptions, environment: Environment): Promise<ProxyConfig> =>
  loadConfig({ logger: silent, ...options }, { ...REQUIRED, ...environment });

const silent = { debug() {}, info() {}, warn() {}, error() {}, fatal() {} };

interface Row {
  /** As in the tables of the contract. */
  readonly option: OptionName | `(${string})`;
  readonly variable: string;
  readonly read: (config: ProxyConfig) => unknown;
  readonly fallback: unknown;
  /** Text of the variable and what it comes to. */
  readonly texts: readonly (readonly [text: string, value: unknown])[];
  /** What is set in code and what it comes to; the first is also set against the first text. */
  readonly values: readonly (readonly [options: object, value: unknown])[];
  readonly badTexts?: readonly string[];
  readonly badValues?: readonly object[];
}

const BAD_BOOLEANS = ["yes", "2", "truth"];
const BAD_INTERVALS = ["soon", "-1", "1.5", "1e3", "5s", "1000000001", "Infinity"];

const toBoolean = (option: string): Pick<Row, "texts" | "values" | "badTexts" | "badValues"> => ({
  texts: [
    ["true", true],
    ["false", false],
    ["TRUE", true],
    ["1", true],
    ["0", false],
  ],
  values: [
    [nest(option, false), false],
    [nest(option, true), true],
  ],
  badTexts: BAD_BOOLEANS,
  badValues: [nest(option, "true"), nest(option, 1), nest(option, null)],
});

const toInterval = (option: string): Pick<Row, "texts" | "values" | "badTexts" | "badValues"> => ({
  texts: [
    ["1234", 1234],
    ["0", 0],
    [" 10 ", 10],
  ],
  values: [
    [nest(option, 0), 0],
    [nest(option, 77), 77],
  ],
  badTexts: BAD_INTERVALS,
  badValues: [nest(option, "5000"), nest(option, Number.NaN), nest(option, -1), nest(option, 0.5)],
});

const toText = (option: string): Pick<Row, "texts" | "values" | "badTexts" | "badValues"> => ({
  texts: [
    ["from the environment", "from the environment"],
    [" trimmed ", "trimmed"],
  ],
  values: [[nest(option, "from code"), "from code"]],
  badTexts: ["two\nlines"],
  badValues: [nest(option, ""), nest(option, 5), nest(option, null), nest(option, ["a"])],
});

/** `nest("cors.maxAge", 5)` is `{ cors: { maxAge: 5 } }`. */
function nest(option: string, value: unknown): object {
  return option
    .split(".")
    .reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) as object;
}

const originFunction = (): void => {};

const ROWS: readonly Row[] = [
  {
    option: "flagsUrl",
    variable: "FLAGS_URL",
    read: (config) => config.upstreamUrl,
    fallback: REQUIRED["FLAGS_URL"],
    texts: [["https://flags.test/api/", "https://flags.test/api/"]],
    values: [[{ flagsUrl: "http://code.test" }, "http://code.test"]],
    badTexts: [
      "flags.test",
      "ftp://flags.test",
      "http://",
      "http://u:p@flags.test",
      "http://a.test/?x",
      "a b",
    ],
    badValues: [{ flagsUrl: "" }, { flagsUrl: 4242 }, { flagsUrl: new URL("http://a.test") }],
  },
  {
    option: "flagsApiToken",
    variable: "FLAGS_API_TOKEN",
    read: (config) => config.upstreamToken,
    fallback: REQUIRED["FLAGS_API_TOKEN"],
    texts: [["*:development.abc", "*:development.abc"]],
    values: [[{ flagsApiToken: "code-token" }, "code-token"]],
    badTexts: ["tökén", "line\nbreak"],
    badValues: [{ flagsApiToken: "" }, { flagsApiToken: 5 }],
  },
  {
    option: "clientKeys",
    variable: "FLAGS_PROXY_CLIENT_KEYS",
    read: (config) => config.clientKeys,
    fallback: ["some-key"],
    texts: [
      ["a-key, b-key,,", ["a-key", "b-key"]],
      ["a-key,a-key", ["a-key"]],
    ],
    values: [
      [{ clientKeys: ["code-key"] }, ["code-key"]],
      [{ clientKeys: "one,two" }, ["one", "two"]],
      [{ clientKeys: [" one ", ""] }, ["one"]],
    ],
    badTexts: [",", " , ", "ключ", "tab\tand\u0001control"],
    badValues: [{ clientKeys: [] }, { clientKeys: [5] }, { clientKeys: {} }, { clientKeys: [""] }],
  },
  {
    option: "port",
    variable: "PORT",
    read: (config) => config.port,
    fallback: 3000,
    texts: [
      ["8080", 8080],
      ["0", 0],
    ],
    values: [[{ port: 0 }, 0]],
    badTexts: ["99999", "-1", "http", "80.5", "tcp://10.0.0.1:3000"],
    badValues: [{ port: "3000" }, { port: 65_536 }],
  },
  {
    option: "port",
    variable: "PROXY_PORT",
    read: (config) => config.port,
    fallback: 3000,
    texts: [["8081", 8081]],
    values: [[{ port: 5 }, 5]],
    badTexts: ["99999"],
  },
  {
    option: "host",
    variable: "HOST",
    read: (config) => config.host,
    fallback: undefined,
    texts: [
      ["127.0.0.1", "127.0.0.1"],
      ["::1", "::1"],
      ["flags.internal", "flags.internal"],
    ],
    values: [[{ host: "0.0.0.0" }, "0.0.0.0"]],
    badTexts: ["http://localhost", "a b", "localhost:3000"],
    badValues: [{ host: 5 }],
  },
  {
    option: "proxyBasePath",
    variable: "PROXY_BASE_PATH",
    read: (config) => config.basePath,
    fallback: "",
    texts: [
      ["base/path", "/base/path"],
      ["/base/path/", "/base/path"],
      ["/", ""],
      ["//a//b", "/a/b"],
    ],
    values: [
      [{ proxyBasePath: "" }, ""],
      [{ proxyBasePath: "/x" }, "/x"],
    ],
    badTexts: ["a b", "../up", "a?b", ":id", "*"],
    badValues: [{ proxyBasePath: 5 }],
  },
  {
    option: "flagsAppName",
    variable: "FLAGS_APP_NAME",
    read: (config) => config.appName,
    fallback: "flags-proxy",
    ...toText("flagsAppName"),
  },
  {
    option: "flagsInstanceId",
    variable: "FLAGS_INSTANCE_ID",
    read: (config) => config.instanceId,
    fallback: expect.stringMatching(/^\S+-[0-9a-f]{8}$/),
    ...toText("flagsInstanceId"),
  },
  {
    option: "synchronization",
    variable: "FLAGS_SYNCHRONIZATION",
    read: (config) => config.synchronization,
    fallback: "polling",
    texts: [
      ["streaming", "streaming"],
      ["delta", "delta"],
      ["polling", "polling"],
    ],
    values: [
      [{ synchronization: "delta" }, "delta"],
      [{ synchronization: "polling" }, "polling"],
    ],
    badTexts: ["push", "true", "stream"],
    badValues: [{ synchronization: "push" }, { synchronization: true }],
  },
  {
    option: "refreshInterval",
    variable: "FLAGS_FETCH_INTERVAL",
    read: (config) => config.refreshIntervalMs,
    fallback: 5000,
    ...toInterval("refreshInterval"),
  },
  {
    option: "metricsInterval",
    variable: "FLAGS_METRICS_INTERVAL",
    read: (config) => config.metricsIntervalMs,
    fallback: 30_000,
    ...toInterval("metricsInterval"),
  },
  {
    option: "metricsJitter",
    variable: "FLAGS_METRICS_JITTER",
    read: (config) => config.metricsJitterMs,
    fallback: 0,
    ...toInterval("metricsJitter"),
  },
  {
    option: "environment",
    variable: "FLAGS_ENVIRONMENT",
    read: (config) => config.environment,
    fallback: undefined,
    ...toText("environment"),
  },
  {
    option: "projectName",
    variable: "FLAGS_PROJECT_NAME",
    read: (config) => config.projectName,
    fallback: undefined,
    ...toText("projectName"),
  },
  {
    option: "namePrefix",
    variable: "FLAGS_NAME_PREFIX",
    read: (config) => config.namePrefix,
    fallback: undefined,
    ...toText("namePrefix"),
  },
  {
    option: "tags",
    variable: "FLAGS_TAGS",
    read: (config) => config.tags,
    fallback: [],
    texts: [
      ["team:web", [{ name: "team", value: "web" }]],
      [
        "tagName:tagValue,tagName2:tagValue2",
        [
          { name: "tagName", value: "tagValue" },
          { name: "tagName2", value: "tagValue2" },
        ],
      ],
      ["url:a:b", [{ name: "url", value: "a:b" }]],
    ],
    values: [
      [{ tags: [] }, []],
      [{ tags: [{ name: "a", value: "b" }] }, [{ name: "a", value: "b" }]],
      [{ tags: "a:b" }, [{ name: "a", value: "b" }]],
    ],
    badTexts: ["team", ":web", "team:"],
    badValues: [
      { tags: {} },
      { tags: [{ name: "a" }] },
      { tags: [null] },
      { tags: [{ name: "a", value: 1 }] },
    ],
  },
  {
    option: "useJsonLogger",
    variable: "JSON_LOGGER",
    read: (config) => (config as LoadedConfig).useJsonLogger,
    fallback: false,
    ...toBoolean("useJsonLogger"),
  },
  {
    option: "trustProxy",
    variable: "TRUST_PROXY",
    read: (config) => config.trustProxy,
    fallback: false,
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
      [{ trustProxy: false }, false],
      [{ trustProxy: true }, true],
      [{ trustProxy: "10.0.0.0/8" }, ["10.0.0.0/8"]],
      [{ trustProxy: ["10.0.0.0/8"] }, ["10.0.0.0/8"]],
      [{ trustProxy: [] }, false],
      [{ trustProxy: 2 }, 2],
      [{ trustProxy: 0 }, false],
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
    badValues: [
      { trustProxy: -1 },
      { trustProxy: 1.5 },
      { trustProxy: Number.NaN },
      { trustProxy: {} },
      { trustProxy: ["x"] },
    ],
  },
  {
    option: "clientKeysHeaderName",
    variable: "CLIENT_KEY_HEADER_NAME",
    read: (config) => config.clientKeysHeaderName,
    fallback: "authorization",
    texts: [["X-Flags-Key", "x-flags-key"]],
    values: [[{ clientKeysHeaderName: "NotAuthorization" }, "notauthorization"]],
    badTexts: ["x key", "x:key", "schlüssel"],
    badValues: [{ clientKeysHeaderName: "" }, { clientKeysHeaderName: 1 }],
  },
  {
    option: "enableOAS",
    variable: "ENABLE_OAS",
    read: (config) => config.openApiEnabled,
    fallback: false,
    ...toBoolean("enableOAS"),
  },
  {
    option: "ofrepEventStreams",
    variable: "OFREP_EVENT_STREAMS",
    read: (config) => config.ofrepEventStreams,
    fallback: false,
    ...toBoolean("ofrepEventStreams"),
  },
  {
    option: "ofrepValues",
    variable: "OFREP_VALUES",
    read: (config) => config.ofrepValues,
    fallback: "boolean",
    texts: [
      ["payload", "payload"],
      ["Boolean", "boolean"],
    ],
    values: [[{ ofrepValues: "payload" }, "payload"]],
    badTexts: ["true", "typed"],
    badValues: [{ ofrepValues: true }],
  },
  {
    option: "enableAllEndpoint",
    variable: "ENABLE_ALL_ENDPOINT",
    read: (config) => config.allEndpointEnabled,
    fallback: false,
    ...toBoolean("enableAllEndpoint"),
  },
  {
    option: "maxConnections",
    variable: "FLAGS_MAX_CONNECTIONS",
    read: (config) => config.maxConnections,
    // NOTE: this machine may allow fewer open files.
    fallback: defaultMaxConnections(10_000, { limit: readOpenFileLimit() }),
    texts: [
      ["1", 1],
      ["1000000", 1_000_000],
    ],
    values: [
      [{ maxConnections: 7 }, 7],
      [{ maxConnections: 1_000_000 }, 1_000_000],
    ],
    badTexts: ["many", "0", "-1", "1.5", "1e3", "1000001", "Infinity"],
    badValues: [
      { maxConnections: 0 },
      { maxConnections: "5" },
      { maxConnections: Number.POSITIVE_INFINITY },
      { maxConnections: null },
    ],
  },
  {
    option: "push.maxStreams",
    variable: "FLAGS_PUSH_MAX_STREAMS",
    read: (config) => config.push.maxStreams,
    fallback: 10_000,
    texts: [
      ["500", 500],
      ["0", 0],
    ],
    values: [
      [{ push: { maxStreams: 0 } }, 0],
      [{ push: { maxStreams: 7 } }, 7],
    ],
    badTexts: ["many", "-1", "1.5", "1000001"],
    badValues: [{ push: { maxStreams: "5" } }, { push: true }],
  },
  {
    option: "push.maxStreamsPerKey",
    variable: "FLAGS_PUSH_MAX_STREAMS_PER_KEY",
    read: (config) => config.push.maxStreamsPerKey,
    fallback: undefined,
    texts: [["500", 500]],
    values: [[{ push: { maxStreamsPerKey: 7 } }, 7]],
    badTexts: ["many", "0", "1.5", "1000001"],
    badValues: [{ push: { maxStreamsPerKey: "5" } }],
  },
  {
    option: "push.maxContextBytes",
    variable: "FLAGS_PUSH_MAX_CONTEXT_BYTES",
    read: (config) => config.push.maxContextBytes,
    fallback: 67_108_864,
    texts: [["65536", 65_536]],
    values: [[{ push: { maxContextBytes: 1_000_000 } }, 1_000_000]],
    badTexts: ["64 MiB", "0", "65535", "1e9"],
    badValues: [{ push: { maxContextBytes: "100000" } }],
  },
  {
    option: "push.maxAge",
    variable: "FLAGS_PUSH_MAX_AGE",
    read: (config) => config.push.maxAgeSeconds,
    fallback: 1800,
    texts: [["60", 60]],
    values: [[{ push: { maxAge: 5 } }, 5]],
    badTexts: ["0", "86401", "1h"],
    badValues: [{ push: { maxAge: 0 } }, { push: { maxAge: "60" } }],
  },
  {
    option: "push.secret",
    variable: "FLAGS_PUSH_SECRET",
    read: (config) => config.push.secret,
    fallback: undefined,
    ...toText("push.secret"),
  },
  {
    option: "cors.allowedHeaders",
    variable: "CORS_ALLOWED_HEADERS",
    read: (config) => config.cors.allowedHeaders,
    fallback: undefined,
    texts: [["authorization, x-one", ["authorization", "x-one"]]],
    values: [
      [{ cors: { allowedHeaders: [] } }, []],
      [{ cors: { allowedHeaders: "a,b" } }, ["a", "b"]],
    ],
    badTexts: ["x one", "a,b:c"],
    badValues: [{ cors: { allowedHeaders: 5 } }, { cors: { allowedHeaders: [5] } }],
  },
  {
    option: "cors.credentials",
    variable: "CORS_CREDENTIALS",
    read: (config) => config.cors.credentials,
    fallback: false,
    ...toBoolean("cors.credentials"),
  },
  {
    option: "cors.exposedHeaders",
    variable: "CORS_EXPOSED_HEADERS",
    read: (config) => config.cors.exposedHeaders,
    fallback: ["ETag"],
    texts: [["ETag,Retry-After", ["ETag", "Retry-After"]]],
    values: [[{ cors: { exposedHeaders: ["X-One"] } }, ["X-One"]]],
    badTexts: ["x one"],
  },
  {
    option: "cors.maxAge",
    variable: "CORS_MAX_AGE",
    read: (config) => config.cors.maxAgeSeconds,
    fallback: 172_800,
    texts: [
      ["600", 600],
      ["0", 0],
    ],
    values: [[{ cors: { maxAge: 0 } }, 0]],
    badTexts: ["a day", "-1"],
    badValues: [{ cors: { maxAge: "600" } }],
  },
  {
    option: "cors.methods",
    variable: "CORS_METHODS",
    read: (config) => config.cors.methods,
    fallback: ["GET", "POST"],
    texts: [["get, HEAD", ["GET", "HEAD"]]],
    values: [[{ cors: { methods: ["POST"] } }, ["POST"]]],
    badTexts: ["GET POST", ","],
    badValues: [{ cors: { methods: [] } }],
  },
  {
    option: "cors.optionsSuccessStatus",
    variable: "CORS_OPTIONS_SUCCESS_STATUS",
    read: (config) => config.cors.optionsSuccessStatus,
    fallback: 204,
    texts: [["200", 200]],
    values: [[{ cors: { optionsSuccessStatus: 202 } }, 202]],
    badTexts: ["199", "300", "ok"],
    badValues: [{ cors: { optionsSuccessStatus: 404 } }],
  },
  {
    option: "cors.origin",
    variable: "CORS_ORIGIN",
    read: (config) => config.cors.origin,
    fallback: "*",
    texts: [
      ["https://app.test", ["https://app.test"]],
      ["https://App.test/, http://b.test:8080", ["https://app.test", "http://b.test:8080"]],
      ["*", "*"],
      ["capacitor://localhost", ["capacitor://localhost"]],
    ],
    values: [
      [{ cors: { origin: "*" } }, "*"],
      [{ cors: { origin: ["*"] } }, "*"],
      [{ cors: { origin: ["https://a.test"] } }, ["https://a.test"]],
      [{ cors: { origin: true } }, true],
      [{ cors: { origin: false } }, false],
      [{ cors: { origin: /a/ } }, /a/],
      [{ cors: { origin: ["https://A.test", /b/] } }, ["https://a.test", /b/]],
      [{ cors: { origin: originFunction } }, originFunction],
    ],
    badTexts: ["app.test", "https://app.test/path", "*,https://app.test", "https://", ","],
    badValues: [
      { cors: { origin: [] } },
      { cors: { origin: 1 } },
      { cors: { origin: {} } },
      { cors: { origin: [/a/, "nonsense"] } },
      { cors: { origin: [/a/, 1] } },
      { cors: { origin: ["*", /a/] } },
    ],
  },
  {
    option: "cors.preflightContinue",
    variable: "CORS_PREFLIGHT_CONTINUE",
    read: (config) => config.cors.preflightContinue,
    fallback: false,
    ...toBoolean("cors.preflightContinue"),
  },
  {
    option: "httpOptions.rejectUnauthorized",
    variable: "HTTP_OPTIONS_REJECT_UNAUTHORIZED",
    read: (config) => config.rejectUnauthorized,
    fallback: true,
    ...toBoolean("httpOptions.rejectUnauthorized"),
  },
  {
    option: "(none)",
    variable: "FLAGS_PROXY_WORKERS",
    read: (config) => (config as LoadedConfig).workers,
    fallback: 1,
    texts: [
      ["4", 4],
      ["auto", availableParallelism()],
      ["Auto", availableParallelism()],
    ],
    values: [],
    badTexts: ["0", "257", "-1", "1.5", "all", "auto,2"],
  },
  {
    option: "(none)",
    variable: "FLAGS_PROXY_WORKER_TIMEOUT",
    read: (config) => (config as LoadedConfig).workerTimeoutMs,
    fallback: 15_000,
    texts: [["1000", 1000]],
    values: [],
    badTexts: ["0", "999", "3600001", "1.5", "15s"],
  },
  ...(["HTTP_PROXY", "http_proxy"] as const).map((variable): Row => ({
    option: "(none)",
    variable,
    read: (config) => config.httpProxy,
    fallback: undefined,
    texts: [["http://user:pass@proxy.test:3128", "http://user:pass@proxy.test:3128"]],
    values: [],
    badTexts: ["proxy.test:3128", "socks5://proxy.test", "http://u:%zz@proxy.test"],
  })),
  {
    option: "(none)",
    variable: "HTTPS_PROXY",
    read: (config) => config.httpsProxy,
    fallback: undefined,
    texts: [["https://proxy.test", "https://proxy.test"]],
    values: [],
    badTexts: ["proxy"],
  },
  {
    option: "(none)",
    variable: "NO_PROXY",
    read: (config) => config.noProxy,
    fallback: undefined,
    texts: [["localhost,.internal", "localhost,.internal"]],
    values: [],
  },
  {
    option: "expBootstrap.url",
    variable: "EXP_BOOTSTRAP_URL",
    read: (config) => config.bootstrap,
    fallback: undefined,
    texts: [["https://b.test/flags?x=1", { url: "https://b.test/flags?x=1", headers: {} }]],
    values: [
      [
        { expBootstrap: { url: "http://c.test", urlHeaders: { "X-Key": "a" } } },
        { url: "http://c.test", headers: { "X-Key": "a" } },
      ],
    ],
    badTexts: ["file:///flags.json", "b.test"],
    badValues: [{ expBootstrap: { url: 5 } }, { expBootstrap: "http://b.test" }],
  },
  {
    option: "expBootstrap.urlHeaders.Authorization",
    variable: "EXP_BOOTSTRAP_AUTHORIZATION",
    read: (config) => config.bootstrap?.headers["Authorization"],
    fallback: undefined,
    texts: [],
    values: [
      [
        { expBootstrap: { url: "http://b.test", urlHeaders: { Authorization: "Bearer abc" } } },
        "Bearer abc",
      ],
    ],
    badTexts: ["schlüssel"],
    badValues: [
      { expBootstrap: { url: "http://b.test", urlHeaders: { Authorization: 5 } } },
      { expBootstrap: { url: "http://b.test", urlHeaders: { "bad name": "x" } } },
      { expBootstrap: { url: "http://b.test", urlHeaders: [] } },
    ],
  },
  {
    option: "expServerSideSdkConfig.tokens",
    variable: "EXP_SERVER_SIDE_SDK_CONFIG_TOKENS",
    read: (config) => config.serverTokens,
    fallback: [],
    texts: [["server-one,server-two", ["server-one", "server-two"]]],
    values: [
      [{ expServerSideSdkConfig: { tokens: [] } }, []],
      [{ expServerSideSdkConfig: { tokens: ["server-three"] } }, ["server-three"]],
    ],
    badTexts: ["schlüssel"],
    badValues: [{ expServerSideSdkConfig: { tokens: 5 } }, { expServerSideSdkConfig: [] }],
  },
];

for (const { option, variable, read, fallback, texts, values, badTexts, badValues } of ROWS) {
  describe(`${option} / ${variable}`, () => {
    test("has its default when nothing is set, and when the variable is empty", async () => {
      expect(read(await load({}, {}))).toEqual(fallback);
      if (variable in REQUIRED) return;
      expect(read(await load({}, { [variable]: "" }))).toEqual(fallback);
      expect(read(await load({}, { [variable]: "  " }))).toEqual(fallback);
    });

    test.each(texts)("reads %j from the environment", async (text, value) => {
      expect(read(await load({}, { [variable]: text }))).toEqual(value);
    });

    test.each(values)("takes %j, which beats the environment", async (options, value) => {
      const text = texts[0]?.[0];
      expect(read(await load(options, { [variable]: text }))).toEqual(value);
    });

    test.each(badTexts ?? [])("refuses the text %j and names the variable", async (text) => {
      const message = new RegExp(`- ${variable} must be `);
      await expect(load({}, { [variable]: text })).rejects.toThrow(message);
    });

    test.each(badValues ?? [])("refuses %j and names the option", async (options) => {
      const [group = ""] = option.split(".");
      await expect(load(options, {})).rejects.toThrow(new RegExp(`- Option ${group}\\b.* must be`));
    });
  });
}

describe("proxySecrets / FLAGS_PROXY_SECRETS", () => {
  const { FLAGS_PROXY_CLIENT_KEYS: _, ...withoutKeys } = REQUIRED;

  test("stands in for clientKeys, and the log says that it is deprecated", async () => {
    const warnings: unknown[] = [];
    const logger = { ...silent, warn: (message: unknown) => warnings.push(message) };
    const environment = { ...withoutKeys, FLAGS_PROXY_SECRETS: "some-old-key" };
    const config = await loadConfig({ logger }, environment);
    expect(config.clientKeys).toEqual(["some-old-key"]);
    expect(warnings).toEqual([expect.stringMatching(/^FLAGS_PROXY_SECRETS is deprecated/)]);
  });

  test("has no effect when clientKeys is set, wherever that is", async () => {
    const config = await load({ proxySecrets: ["old-key"] }, {});
    expect(config.clientKeys).toEqual(["some-key"]);
  });

  test("refuses what clientKeys would refuse", async () => {
    const environment = { ...withoutKeys, FLAGS_PROXY_SECRETS: "," };
    const failure = loadConfig({}, environment);
    await expect(failure).rejects.toThrow("FLAGS_PROXY_SECRETS must be");
    await expect(failure).rejects.not.toThrow("is required");
  });
});

describe("PORT or PROXY_PORT", () => {
  test("PORT wins", async () => {
    expect((await load({}, { PORT: "1", PROXY_PORT: "2" })).port).toBe(1);
    expect((await load({}, { PORT: "", PROXY_PORT: "2" })).port).toBe(2);
  });
});

describe("EXP_BOOTSTRAP_AUTHORIZATION", () => {
  const url = { EXP_BOOTSTRAP_URL: "http://b.test", EXP_BOOTSTRAP_AUTHORIZATION: "Bearer env" };

  test("is sent to the bootstrap address", async () => {
    expect((await load({}, url)).bootstrap?.headers).toEqual({ Authorization: "Bearer env" });
  });

  test("loses to the same header in code, in whatever case", async () => {
    const options = { expBootstrap: { urlHeaders: { authorization: "Bearer code" } } };
    const { bootstrap } = await load(options, url);
    expect(bootstrap?.headers).toEqual({ authorization: "Bearer code" });
  });
});

/** The compiler sees to it that this list is complete. */
const EVERY_OPTION: Record<OptionName, true> = {
  clientKeys: true,
  clientKeysHeaderName: true,
  "cors.allowedHeaders": true,
  "cors.credentials": true,
  "cors.exposedHeaders": true,
  "cors.maxAge": true,
  "push.maxStreams": true,
  "push.maxStreamsPerKey": true,
  "push.maxContextBytes": true,
  "push.maxAge": true,
  "push.secret": true,
  "cors.methods": true,
  "cors.optionsSuccessStatus": true,
  "cors.origin": true,
  "cors.preflightContinue": true,
  customStrategies: true,
  enableAllEndpoint: true,
  enableOAS: true,
  environment: true,
  "expBootstrap.url": true,
  "expBootstrap.urlHeaders": true,
  "expBootstrap.urlHeaders.Authorization": true,
  expCustomEnrichers: true,
  "expServerSideSdkConfig.tokens": true,
  flagsApiToken: true,
  flagsAppName: true,
  flagsInstanceId: true,
  flagsUrl: true,
  host: true,
  "httpOptions.rejectUnauthorized": true,
  logger: true,
  logLevel: true,
  maxConnections: true,
  metricsInterval: true,
  metricsJitter: true,
  namePrefix: true,
  ofrepEventStreams: true,
  ofrepValues: true,
  port: true,
  projectName: true,
  proxyBasePath: true,
  proxySecrets: true,
  refreshInterval: true,
  storageProvider: true,
  synchronization: true,
  tags: true,
  trustProxy: true,
  useJsonLogger: true,
};

describe("the table of settings", () => {
  test("has exactly the options of ProxyOptions", () => {
    const options = Object.values(SETTINGS).flatMap(({ option }) => option ?? []);
    expect(options.toSorted()).toEqual(Object.keys(EVERY_OPTION).toSorted());
  });

  test("has every option once and every variable once", () => {
    const options = Object.values(SETTINGS).flatMap(({ option }) => option ?? []);
    const variables = Object.values(SETTINGS).flatMap((setting) => [...setting.variables]);
    expect(options).toHaveLength(new Set(options).size);
    expect(variables).toHaveLength(new Set(variables).size);
  });

  test("has a row in this test for every variable that needs no file", () => {
    const tested = new Set(ROWS.map(({ variable }) => variable.toUpperCase()));
    const others = ["FLAGS_CUSTOM_STRATEGIES_FILE", "EXP_CUSTOM_ENRICHERS_FILE", "LOG_LEVEL"];
    const known = Object.values(SETTINGS).flatMap(({ variables }) => [...variables]);
    const missing = known.filter((name) => !tested.has(name.toUpperCase()));
    expect(missing).toEqual(expect.arrayContaining([...others, "FLAGS_PROXY_SECRETS"]));
    expect(missing).toHaveLength(4);
  });
});
