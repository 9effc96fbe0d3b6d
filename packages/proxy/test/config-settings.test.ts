import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { defaultMaxConnections, readOpenFileLimit } from "flags-server-kit";
import {
  addressesKind,
  booleanKind,
  type Environment,
  type Setting,
  textKind,
} from "flags-server-kit/command-line";
import { afterAll, describe, expect, test } from "vitest";
import { forwardProxyKind } from "../src/config/address-setting-kinds.ts";
import type { ProxyConfig } from "../src/config/config.ts";
import { loadConfig } from "../src/config/load-config.ts";
import type { ProxyOptions } from "../src/config/options.ts";
import { type SettingName, SETTINGS } from "../src/config/settings.ts";

const REQUIRED: Environment = {
  FLAGS_URL: "http://upstream.test/api",
  FLAGS_API_TOKEN: "default:development.upstream-token",
  FLAGS_PROXY_CLIENT_KEYS: "some-key",
};

const silent = { debug() {}, info() {}, warn() {}, error() {}, fatal() {} };

const load = (options: ProxyOptions, environment: Environment): Promise<ProxyConfig> =>
  loadConfig({ logger: silent, ...options }, { ...REQUIRED, ...environment });

/** Values of a setting, as text of a variable and as values of an option. */
interface Examples {
  /** Texts of the variable, and the expected values. */
  readonly texts: readonly (readonly [text: string, expected: unknown])[];
  /** Values of the option, and the expected values. They also override the first text. */
  readonly values?: readonly (readonly [value: unknown, expected: unknown])[];
  readonly badTexts?: readonly string[];
  readonly badValues?: readonly unknown[];
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
  badValues: ["yes", 1, null],
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
    badValues: [String(min - 1), min + 0.5, min - 1, max + 1, Number.POSITIVE_INFINITY, null],
  };
}

const FORWARD_PROXY: Examples = {
  texts: [["http://user:pass@proxy.test:3128", "http://user:pass@proxy.test:3128"]],
  badTexts: ["proxy", "proxy.test:3128", "socks5://proxy.test", "http://u:%zz@proxy.test"],
};

/** `nest("cors.maxAge", 5)` is `{ cors: { maxAge: 5 } }`. */
function nest(option: string, value: unknown): object {
  return option
    .split(".")
    .reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) as object;
}

/** A folder that exists during the tests. */
const FOLDER = mkdtempSync(join(tmpdir(), "flags-settings-"));
afterAll(() => rmSync(FOLDER, { recursive: true }));

const originFunction = (): void => {};
const TAG = [{ name: "a", value: "b" }];

/** Examples for settings whose kind does not determine them. */
const EXAMPLES: Partial<Record<SettingName, Examples>> = {
  flagsUrl: {
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
  flagsApiToken: {
    texts: [["*:development.abc", ["*:development.abc"]]],
    values: [
      ["code-token", ["code-token"]],
      [["a-token"], ["a-token"]],
    ],
    badTexts: ["tökén", "line\nbreak", " , "],
    badValues: ["", 5, []],
  },
  clientKeys: {
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
  host: {
    texts: [
      ["127.0.0.1", "127.0.0.1"],
      ["::1", "::1"],
      ["flags.internal", "flags.internal"],
    ],
    values: [["0.0.0.0", "0.0.0.0"]],
    badTexts: ["http://localhost", "a b", "localhost:3000"],
    badValues: [5],
  },
  basePath: {
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
  workers: {
    texts: [
      ["4", 4],
      ["auto", availableParallelism()],
      ["Auto", availableParallelism()],
    ],
    badTexts: ["0", "257", "-1", "1.5", "all", "auto,2"],
  },
  trustProxy: {
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
  allowedHosts: {
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
  upstreamHeaders: {
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
  synchronization: {
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
  tags: {
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
  noProxy: {
    texts: [["localhost,.internal", "localhost,.internal"]],
  },
  clientKeysHeaderName: {
    texts: [["X-Flags-Key", "x-flags-key"]],
    values: [["NotAuthorization", "notauthorization"]],
    badTexts: ["x key", "x:key", "schlüssel"],
    badValues: ["", 1],
  },
  store: {
    texts: [
      ["file:/var/lib/flags", "file:/var/lib/flags"],
      ["file:///var/lib/my%20flags", "file:/var/lib/my flags"],
      ["FILE:state", `file:${resolve("state")}`],
      ["file:./100%25", `file:${resolve("100%")}`],
      ["s3://flags-bucket?region=eu-north-1", "s3://flags-bucket"],
      [
        "redis+sentinel://user:secret@one,two:7000/main?prefix=a:",
        "redis+sentinel://one:26379,two:7000/main",
      ],
    ],
    values: [["file:state", `file:${resolve("state")}`]],
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
  ofrepValues: {
    texts: [
      ["payload", "payload"],
      ["Boolean", "boolean"],
    ],
    values: [["payload", "payload"]],
    badTexts: ["true", "typed"],
    badValues: [true],
  },
  corsAllowedHeaders: {
    texts: [["authorization, x-one", ["authorization", "x-one"]]],
    values: [
      [[], []],
      ["a,b", ["a", "b"]],
    ],
    badTexts: ["x one", "a,b:c"],
    badValues: [5, [5]],
  },
  corsExposedHeaders: {
    texts: [["ETag,Retry-After", ["ETag", "Retry-After"]]],
    values: [[["X-One"], ["X-One"]]],
    badTexts: ["x one"],
  },
  corsMethods: {
    texts: [["get, HEAD", ["GET", "HEAD"]]],
    values: [[["POST"], ["POST"]]],
    badTexts: ["GET POST", ","],
    badValues: [[]],
  },
  corsOrigin: {
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
  bootstrapUrl: {
    texts: [["https://b.test/flags?x=1", "https://b.test/flags?x=1"]],
    values: [["http://c.test", "http://c.test"]],
    badTexts: ["file:///flags.json", "b.test"],
    badValues: [5],
  },
  serverTokens: {
    texts: [["server-one,server-two", ["server-one", "server-two"]]],
    values: [
      [[], []],
      [["server-three"], ["server-three"]],
    ],
    badTexts: ["schlüssel"],
    badValues: [5],
  },
  usageMetricsApplications: {
    texts: [["web, ios app", ["web", "ios app"]]],
    values: [[["web"], ["web"]]],
    badTexts: ["a".repeat(101), "a\tb"],
    badValues: [1, { web: true }],
  },
  usageSpool: {
    texts: [[join(FOLDER, "a"), join(FOLDER, "a")]],
    values: [[FOLDER, FOLDER]],
    badValues: [5],
  },
  logLevel: {
    texts: [
      ["debug", "debug"],
      ["FATAL", "fatal"],
    ],
    values: [["error", "error"]],
    badTexts: ["silent"],
    badValues: [1],
  },
};

const EXAMPLES_OF_KINDS = new Map<unknown, Examples>([
  [booleanKind, BOOLEAN],
  [textKind, TEXT],
  [addressesKind, ADDRESSES],
  [forwardProxyKind, FORWARD_PROXY],
]);

function examplesOf(name: SettingName, { kind }: Setting<unknown>): Examples {
  const [, min, max] = / from (\d+) to (\d+)$/.exec(kind.allowed) ?? [];
  const examples =
    EXAMPLES[name] ??
    EXAMPLES_OF_KINDS.get(kind) ??
    (max === undefined ? undefined : integer(Number(min), Number(max)));
  if (examples === undefined) throw new Error(`Add examples for ${name} to this test`);
  return examples;
}

/** Settings with tests of their own, in this file or in the one in the comment. */
const TESTED_SEPARATELY: ReadonlySet<string> = new Set<SettingName>([
  "proxySecrets",
  "bootstrapAuthorization",
  "bootstrapHeaders",
  "upstreamKeysInterval",
  "upstreamKeysMaxAge",
  // access-file.test.ts
  "accessFile",
  // extensions-load.test.ts
  "customStrategies",
  "customEnrichers",
  // logging.test.ts
  "logger",
  // config-errors.test.ts, redis-connection.test.ts and s3-store.test.ts
  "storageProvider",
  "storePassword",
  "storeCaFile",
  "storeRegion",
  "storeAccessKeyId",
  "storeSecretAccessKey",
  "storeSessionToken",
  // network-settings.test.ts
  "tlsCertFile",
  "tlsKeyFile",
  "tlsPort",
  "tlsRedirect",
  "tlsClientCaFile",
  "managementHost",
  "upstreamCaFile",
  "upstreamCertFile",
  "upstreamKeyFile",
]);

/** Where the configuration contains the values of settings that it does not contain under their own names. */
const MEMBERS: Partial<Record<SettingName, (config: ProxyConfig) => unknown>> = {
  flagsUrl: (config) => config.upstreamUrl,
  flagsApiToken: (config) => config.upstreamTokens,
  allowList: (config) => config.network.allowList,
  denyList: (config) => config.network.denyList,
  managementPort: (config) => config.network.management?.port,
  upstreamHeaders: (config) => config.network.upstream.headers,
  upstreamTimeout: (config) => config.network.upstream.timeoutMs,
  allProxy: (config) => config.httpProxy,
  usageSpool: (config) => config.usageSpool.directory,
  usageSpoolMaxBytes: (config) => config.usageSpool.maxBytes,
  upstreamKeys: (config) => config.upstreamKeys !== undefined,
  store: (config) => config.store?.address.text,
  bootstrapUrl: (config) => config.bootstrap?.url,
};

function readMember(config: ProxyConfig, name: SettingName): unknown {
  const [, group, member = ""] = /^(cors|push)(.+)$/.exec(name) ?? [];
  if (group === undefined) return (MEMBERS[name] ?? ((all) => Reflect.get(all, name)))(config);
  const key = `${member.charAt(0).toLowerCase()}${member.slice(1)}`;
  return Reflect.get(Reflect.get(config, group), key);
}

/** The defaults that the table does not contain. */
const DEFAULTS: Partial<Record<SettingName, unknown>> = {
  flagsUrl: REQUIRED["FLAGS_URL"],
  flagsApiToken: [REQUIRED["FLAGS_API_TOKEN"]],
  clientKeys: [REQUIRED["FLAGS_PROXY_CLIENT_KEYS"]],
  instanceId: expect.stringMatching(/^\S+-[0-9a-f]{8}$/),
  // NOTE: depends on the open-file limit of this machine.
  maxConnections: defaultMaxConnections(10_000, { limit: readOpenFileLimit() }),
};

const CASES = (Object.entries(SETTINGS) as [SettingName, Setting<unknown>][])
  // Those of telemetry are tested in telemetry-config.test.ts of the server kit.
  .filter(([name]) => !name.startsWith("otel") && !TESTED_SEPARATELY.has(name))
  .flatMap(([name, setting]) =>
    setting.variables.map((variable) => ({
      name,
      setting,
      variable,
      examples: examplesOf(name, setting),
    })),
  );

describe.each(CASES)("$setting.option / $variable", ({ name, setting, variable, examples }) => {
  const { texts, values = [], badTexts = [], badValues = [] } = examples;
  const { option } = setting;
  const read = async (options: ProxyOptions, environment: Environment): Promise<unknown> =>
    readMember(await load(options, environment), name);
  const setOption = (value: unknown): object => nest(option ?? "", value);

  test("the setting has its default if nothing is set, or the variable is empty", async () => {
    const expected = DEFAULTS[name] ?? setting.default;
    expect(await read({}, {})).toEqual(expected);
    if (variable in REQUIRED) return;
    expect(await read({}, { [variable]: "" })).toEqual(expected);
    expect(await read({}, { [variable]: "  " })).toEqual(expected);
  });

  test.each(texts)("the setting %j is read from the environment", async (text, expected) => {
    expect(await read({}, { [variable]: text })).toEqual(expected);
  });

  test.each(badTexts)(
    "the value %j of the variable is rejected, and the message names the variable",
    async (text) => {
      const message = new RegExp(`- ${variable} must be `);
      await expect(load({}, { [variable]: text })).rejects.toThrow(message);
    },
  );

  if (option === undefined) return;

  test.each(values)("the option %j takes precedence over the variable", async (value, expected) => {
    const environment = { [variable]: texts[0]?.[0] };
    expect(await read(setOption(value), environment)).toEqual(expected);
  });

  test.each(badValues.map((value) => ({ value })))(
    "the value $value of the option is rejected, and the message names the option",
    async ({ value }) => {
      const message = new RegExp(`- Option ${option} must be`);
      await expect(load(setOption(value), {})).rejects.toThrow(message);
    },
  );
});

test("no option and no variable belongs to two settings", () => {
  const options = Object.values(SETTINGS).flatMap(({ option }) => option ?? []);
  const variables = Object.values(SETTINGS).flatMap((setting) => [...setting.variables]);
  expect(options).toHaveLength(new Set(options).size);
  expect(variables).toHaveLength(new Set(variables).size);
});

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
