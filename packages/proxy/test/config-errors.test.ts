import { ConfigError, resolveSettings, showSettings } from "flags-server-kit";
import type { Environment } from "flags-server-kit/command-line";
import { expect, test } from "vitest";
import { loadTranslatedConfig as loadConfig } from "../src/migrate/load-translated-config.ts";
import { SETTINGS } from "../src/config/settings.ts";
import { MemoryLogger } from "./_proxy.ts";

const REQUIRED = {
  flagsUrl: "http://upstream.test/api",
  flagsApiToken: "upstream-token",
  clientKeys: ["client-key-one"],
};

async function failure(options: object, environment: Environment = {}): Promise<ConfigError> {
  const error: unknown = await loadConfig(options, environment).catch((e: unknown) => e);
  if (error instanceof ConfigError) return error;
  throw new Error("This configuration was accepted", { cause: error });
}

async function warningsOf(options: object, environment: Environment = {}): Promise<string[]> {
  const warnings: string[] = [];
  const nothing = (): void => {};
  const warn = (message: unknown): void => void warnings.push(String(message));
  const logger = { debug: nothing, info: nothing, warn, error: nothing };
  await loadConfig({ ...REQUIRED, logger, ...options }, environment);
  return warnings;
}

test("loadConfig() lists all missing required settings", async () => {
  const { problems } = await failure({});
  expect(problems).toEqual([
    expect.stringMatching(/^FLAGS_URL \(option flagsUrl\) is required/),
    expect.stringMatching(/^FLAGS_API_TOKEN \(option flagsApiToken\) is required/),
    expect.stringMatching(/^FLAGS_PROXY_CLIENT_KEYS \(option clientKeys\) is required/),
  ]);
});

test.each([
  [{ UPSTREAM_URL: "http://u.test" }, "TOKENS or FLAGS_API_TOKEN (option flagsApiToken)"],
  [
    { UPSTREAM_URL: "http://u.test", TOKENS: "*:dev.s", FLAGS_UPSTREAM_KEYS: "false" },
    "PRETRUSTED_TOKENS or FRONTEND_TOKENS or FLAGS_PROXY_CLIENT_KEYS (option clientKeys)",
  ],
])(
  "with %j, the message also contains the name in Edge of the missing setting",
  async (environment, name) => {
    const { problems } = await failure({}, environment);
    expect(problems).toEqual([expect.stringMatching(/ is required: /)]);
    expect(problems[0]).toContain(`${name} is required: `);
  },
);

test("an empty variable of the Unleash proxy counts as not set", async () => {
  expect(await warningsOf({ host: "127.0.0.1" }, { UNLEASH_INSTANCE_ID: "" })).toEqual([]);
});

test("loadConfig() lists all problems of options, variables and files", async () => {
  const options = { ...REQUIRED, refreshInterval: "5 s", customStrategies: ["./missing.js", 5] };
  const { problems, message } = await failure(options, {
    FLAGS_METRICS_INTERVAL: "soon",
    PORT: "99999",
    TRUST_PROXY: "10.0.0.0/99",
    EXP_CUSTOM_ENRICHERS_FILE: "./missing-too.js",
  });
  expect(problems.map((problem) => problem.split(/ must| cannot|:/, 1)[0])).toEqual([
    "PORT",
    "TRUST_PROXY",
    "Option refreshInterval",
    "FLAGS_METRICS_INTERVAL",
    "Option customStrategies",
    "Option customStrategies",
    "EXP_CUSTOM_ENRICHERS_FILE",
  ]);
  for (const problem of problems) expect(message).toContain(problem);
});

test("values in quotes are reported, since Docker keeps the quotes of env files", async () => {
  const hint =
    "begins and ends with a quotation mark: remove both, unless they belong to the value";
  const warnings = await warningsOf(
    { clientKeys: undefined },
    {
      FLAGS_PROXY_CLIENT_KEYS: "'a-client-key, another-key'",
      CLIENT_KEY_HEADER_NAME: "'x-key'",
      UNLEASH_APP_NAME: '"web"',
      FLAGS_UPSTREAM_HEADERS: "X-Quoted: it's",
    },
  );
  expect(warnings.filter((warning) => warning.includes("quot"))).toEqual([
    expect.stringContaining(`FLAGS_PROXY_CLIENT_KEYS ${hint}`),
    expect.stringContaining(`UNLEASH_APP_NAME ${hint}`),
    expect.stringContaining(`CLIENT_KEY_HEADER_NAME ${hint}`),
  ]);
  const { hints } = await failure(REQUIRED, { PORT: "'3000'" });
  expect(hints).toEqual([expect.stringContaining(`PORT ${hint}`)]);
});

test("a problem names the allowed and the current value", async () => {
  const { problems } = await failure(REQUIRED, { FLAGS_FETCH_INTERVAL: "soon" });
  expect(problems).toEqual([
    'FLAGS_FETCH_INTERVAL must be a whole number of milliseconds from 0 to 1000000000: current value is "soon"',
  ]);
});

test("a problem in a list names the entry", async () => {
  const { problems } = await failure(REQUIRED, { TRUST_PROXY: "10.0.0.1,nonsense" });
  expect(problems[0]).toContain('entry "nonsense" is neither an IP address nor a CIDR range');
});

test("a problem never contains a secret", async () => {
  const secret = "sécret-1234";
  const { message } = await failure(
    {
      flagsUrl: "http://upstream.test",
      flagsApiToken: secret,
      clientKeys: ["fine", secret],
      expServerSideSdkConfig: { tokens: [secret] },
      expBootstrap: { url: "http://b.test", urlHeaders: { Authorization: secret } },
    },
    { HTTP_PROXY: `socks5://user:${secret}@proxy.test`, FLAGS_PROXY_SECRETS: secret },
  );
  expect(message).not.toContain("1234");
  expect(message).toContain("Option flagsApiToken must be");
  expect(message).toContain("entry 2 has a character that cannot be sent in a header");
  expect(message).toContain("HTTP_PROXY must be");
});

test.each([
  ["FLAGS_URL", "http://user:s3cret@h/api", "http://***@h/api"],
  ["FLAGS_URL", "https://h/api?token=s3cret", "https://h/api?***"],
  ["FLAGS_URL", "https://h/api#s3cret", "https://h/api#***"],
  ["FLAGS_URL", "h/api?token=s3cret", "h/api?***"],
  ["EXP_BOOTSTRAP_URL", "http://user:s3cret@h/flags", "http://***@h/flags"],
  ["EXP_BOOTSTRAP_URL", "ftp://h/x?token=s3cret", "ftp://h/x?***"],
  ["CORS_ORIGIN", "https://user:s3cret@app.test", "https://***@app.test"],
  ["HOST", "http://user:s3cret@app.test", "http://***@app.test"],
  ["HTTP_PROXY", "user:s3cret@proxy.test", "secret and not shown"],
])(
  "%s: the message about an invalid address does not contain its secret: %s",
  async (name, value, shown) => {
    const { flagsUrl, ...rest } = REQUIRED;
    const { message } = await failure(rest, { FLAGS_URL: flagsUrl, [name]: value });
    expect(message).toContain(`${name} must be`);
    expect(message).toContain(shown);
    expect(message).not.toContain("s3cret");
  },
);

test.each([
  [
    { refreshIntervall: 1 },
    "Option refreshIntervall does not exist: did you mean refreshInterval?",
  ],
  [{ cors: { orgin: "*" } }, "Option cors.orgin does not exist: did you mean cors.origin?"],
  [{ somethingElse: 1 }, "Option somethingElse does not exist"],
  [{ cors: true }, "Option cors must be an object with the options allowedHeaders, credentials"],
  [{ logger: {} }, "Option logger must be an object with the methods debug, info, warn, error"],
  [{ logger: () => undefined }, "Option logger must be an object"],
  [
    { storageProvider: { get() {} } },
    "Option storageProvider must be an object with the methods get, set: it does not have set",
  ],
  [{ customStrategies: 5 }, "Option customStrategies must be a list"],
  [
    { expCustomEnrichers: () => ({}) },
    "Option expCustomEnrichers must be the path of a file, or in code a list",
  ],
])(
  "loadConfig() rejects unknown options and values of a wrong type: %j",
  async (options, message) => {
    expect((await failure({ ...REQUIRED, ...options })).message).toContain(message);
  },
);

test.each([
  [{ FLAGS_ACCESS_FILE: "/none.yaml" }, /: \/none\.yaml: there is no such file$/],
  [{ FLAGS_STORE: "s3://b" }, /the name of a bucket, which has 3 to 63 characters/],
])("loadConfig() says what is wrong with %j", async (environment, problem) => {
  const { problems } = await failure(REQUIRED, environment);
  expect(problems).toEqual([expect.stringMatching(problem)]);
});

test("loadConfig() rejects options that are not an object", async () => {
  expect((await failure([])).problems).toEqual(["Options must be an object"]);
});

test("options that are undefined count as not set, even unknown ones", async () => {
  const options = { ...REQUIRED, port: undefined, cors: undefined, unknownOption: undefined };
  expect((await loadConfig(options, { PORT: "4000" })).port).toBe(4000);
});

test.each([
  [{}, { FLAGS_REFRESH_INTERVAL: "1" }, /did you mean FLAGS_FETCH_INTERVAL\?$/],
  [{}, { UNLEASH_REFRESH_INTERVAL: "1" }, /did you mean FLAGS_FETCH_INTERVAL\?$/],
  [{}, { FLAGS_CLIENT_KEYS: "k" }, /did you mean FLAGS_PROXY_CLIENT_KEYS\?$/],
  [{}, { FLAGS_FETCH_INTERVALL: "1" }, /did you mean FLAGS_FETCH_INTERVAL\?$/],
  [{}, { FLAGS_TRUST_PROXY: "1" }, /did you mean TRUST_PROXY\?$/],
  [{}, { FLAGS_JSON_LOGGER: "true" }, /did you mean JSON_LOGGER\?$/],
  [{}, { FLAGS_TOKEN: "t" }, /^FLAGS_TOKEN is set but never read$/],
  [{}, { UNLEASH_FETCH_INTERVALL: "1" }, /did you mean FLAGS_FETCH_INTERVAL\?$/],
  [{}, { CORS_ORIGINS: "*" }, /did you mean CORS_ORIGIN\?$/],
  [{}, { UNLEASH_SOMETHING: "x" }, /^UNLEASH_SOMETHING is set but never read$/],
  [{}, { UNLEASH_API_TOKEN_FILE: "/token" }, "is ignored: use FLAGS_API_TOKEN_FILE instead"],
  [{}, { TOKENS: "a-token" }, "TOKENS has no effect: settings of Unleash Edge are read only"],
  [
    { clientKeys: ["a-client-key-one"], expServerSideSdkConfig: { tokens: ["a-client-key-one"] } },
    {},
    /^A client key is also a server token in option expServerSideSdkConfig.tokens: everyone/i,
  ],
  [{ clientKeys: ["upstream-token"] }, {}, "contains the upstream token of"],
  [{}, { EXP_BOOTSTRAP_AUTHORIZATION: "x" }, "has no effect without EXP_BOOTSTRAP_URL"],
  [{ cors: { credentials: true } }, {}, "has no effect without CORS_ORIGIN"],
])(
  "loadConfig() logs a warning about a probable mistake: %j %j",
  async (options, environment, warning) => {
    expect(await warningsOf(options, environment)).toEqual([expect.stringMatching(warning)]);
  },
);

test.each([
  [{ flagsApiToken: "tiny" }, "Option flagsApiToken is easy to guess"],
  [{ flagsApiToken: "*:production.tiny" }, "Option flagsApiToken is easy"],
  [{ clientKeys: ["long-enough", "tiny"] }, "Option clientKeys: entry 2 is easy to guess"],
  [
    { expServerSideSdkConfig: { tokens: ["fifteen-letters"] } },
    "entry 1 is easy to guess, because it has fewer than 16 characters",
  ],
  [{ push: { secret: "tiny" } }, "Option push.secret is easy to guess"],
  [{ clientKeys: ["proxy-secret"] }, "entry 1 is an example from public documentation"],
  [
    { flagsApiToken: "default:development.unleash-insecure-api-token" },
    "Option flagsApiToken is an example from public documentation",
  ],
])(
  "loadConfig() logs a warning about a weak secret, without the secret: %j",
  async (options, warning) => {
    const warnings = await warningsOf(options);
    expect(warnings).toEqual([expect.stringContaining(warning)]);
    expect(warnings.join()).not.toMatch(/tiny|fifteen|proxy-secret|insecure/);
  },
);

test("warnings about weak secrets name the variables that are set", async () => {
  const logger = new MemoryLogger();
  const environment = {
    UNLEASH_URL: "http://upstream.test/api",
    UNLEASH_API_TOKEN: "tiny",
    UNLEASH_PROXY_CLIENT_KEYS: "small",
  };
  await loadConfig({ logger }, environment);
  const weak = logger.lines
    .map(({ parts }) => String(parts[0]))
    .filter((line) => /guess/.test(line));
  expect(weak).toEqual([
    expect.stringMatching(/^UNLEASH_API_TOKEN is easy/),
    expect.stringMatching(/^UNLEASH_PROXY_CLIENT_KEYS: entry 1 is easy/),
  ]);
});

test("published examples of secrets cause no warning if only this machine can connect", async () => {
  const options = {
    clientKeys: ["proxy-secret", "secret"],
    flagsApiToken: "default:development.unleash-insecure-api-token",
  };
  expect(await warningsOf({ ...options, host: "127.0.0.1" })).toEqual([]);
  expect(await warningsOf({ ...options, host: "0.0.0.0" })).toHaveLength(3);
});

test.each([
  { FLAGS_PROXY_SERVICE_HOST: "10.0.0.1" },
  { FLAGS_PROXY_PORT: "tcp://10.0.0.1:3000" },
  { FLAGS_PROXY_PORT_3000_TCP_ADDR: "10.0.0.1" },
  { CORSAIR: "x", UNLEASH_SERVICE_HOST: "10.0.0.1" },
])("variables of other programs cause no warning: %j", async (environment) => {
  expect(await warningsOf({}, environment)).toEqual([]);
});

test("loadConfig() returns a frozen configuration", async () => {
  const config = await loadConfig({ ...REQUIRED, tags: "a:b" }, {});
  for (const part of [config, config.clientKeys, config.cors, config.cors.methods, config.tags]) {
    expect(Object.isFrozen(part)).toBe(true);
  }
});

test("the log shows all settings, without secrets", () => {
  const { values } = resolveSettings(SETTINGS, {
    options: {
      ...REQUIRED,
      expServerSideSdkConfig: { tokens: ["server-token"] },
      push: { secret: "push-secret" },
      expBootstrap: {
        url: "http://b.test/flags?key=in-the-url",
        urlHeaders: { "X-Key": "header-key" },
      },
    },
    environment: { HTTP_PROXY: "http://someone:password@proxy.test:3128" },
  });
  const shown = showSettings(SETTINGS, values);
  const secrets = ["upstream-token", "client-key", "server-token", "push-secret"];
  for (const secret of [...secrets, "in-the-url", "header-key", "password", "someone"]) {
    expect(JSON.stringify(shown)).not.toContain(secret);
  }
  expect(shown).toMatchObject({
    FLAGS_URL: "http://upstream.test/api",
    PORT: 3000,
    FLAGS_PROXY_CLIENT_KEYS: ["[redacted]"],
    HTTP_PROXY: "http://[redacted]@proxy.test:3128/",
    EXP_BOOTSTRAP_URL: "http://b.test/flags?[redacted]",
  });
});

test("a store and a storage provider contradict each other", async () => {
  const storageProvider = { get: () => Promise.resolve(), set: () => Promise.resolve() };
  const { problems } = await failure(
    { ...REQUIRED, storageProvider },
    { FLAGS_STORE: "file:flags" },
  );
  expect(problems).toEqual([
    "FLAGS_STORE and Option storageProvider are both set, and both keep the flags: remove one of them",
  ]);
});

test("the address of a store that is not valid is shown without a password", async () => {
  const { problems } = await failure(REQUIRED, { FLAGS_STORE: "ftp://user:password@host/flags" });
  expect(problems).toEqual([
    'FLAGS_STORE must be the URL of a store, such as file:/var/lib/flags, redis://cache:6379 or s3://bucket/prefix: it must begin with file:, s3:, redis:, rediss:, redis+sentinel:, rediss+sentinel:, redis+cluster: or rediss+cluster:, current value is "ftp://***@host/flags"',
  ]);
});

test("the password of a store must be given only once", async () => {
  const { problems } = await failure(REQUIRED, {
    FLAGS_STORE: "redis://user:secret@cache",
    FLAGS_STORE_PASSWORD: "another",
  });
  expect(problems).toEqual([
    "FLAGS_STORE_PASSWORD and FLAGS_STORE both contain a password: remove one of them",
  ]);
});

test("settings of Redis have no effect with another store", async () => {
  const { hints } = await failure(
    { ...REQUIRED, port: -1 },
    {
      FLAGS_STORE: "file:flags",
      FLAGS_STORE_PASSWORD: "a",
      FLAGS_SHARED_POLLING: "true",
    },
  );
  expect(hints).toEqual([
    "FLAGS_STORE_PASSWORD has no effect: FLAGS_STORE (option store) is not a Redis address",
    "FLAGS_SHARED_POLLING has no effect: FLAGS_STORE (option store) is not a Redis address",
  ]);
});

test("an invalid address of a store causes no hints about the settings of the store", async () => {
  const { problems, hints } = await failure(REQUIRED, {
    FLAGS_STORE: "redis://cache:70000",
    FLAGS_STORE_PASSWORD: "a",
  });
  expect(problems).toHaveLength(1);
  expect(hints).toEqual([]);
});

test("a bucket needs a region or an endpoint, and either both parts of a key or neither", async () => {
  const store = { FLAGS_STORE: "s3://flags-bucket" };
  expect((await failure(REQUIRED, { ...store, AWS_ACCESS_KEY_ID: "id" })).problems).toEqual([
    "FLAGS_STORE needs the region of the bucket: set AWS_REGION, or append ?region= to the address",
    "AWS_ACCESS_KEY_ID requires AWS_SECRET_ACCESS_KEY: set both, or neither",
  ]);
  const environment = { ...store, AWS_DEFAULT_REGION: "eu-north-1" };
  const { store: config } = await loadConfig(REQUIRED, environment);
  expect(config?.access.region).toBe("eu-north-1");
});
