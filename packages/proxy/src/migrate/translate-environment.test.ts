import type { Environment } from "flags-server-kit/command-line";
import { expect, test } from "vitest";
import { SETTINGS } from "../config/settings.ts";
import { EDGE_ALIASES, TYPICAL_EDGE_NAMES } from "./aliases/edge-aliases.ts";
import { OLD_PROXY_ALIASES } from "./aliases/old-proxy-aliases.ts";
import { translateEnvironment } from "./translate-environment.ts";

const KNOWN = new Set(Object.values(SETTINGS).flatMap(({ variables }) => variables));

const EDGE: Environment = { UPSTREAM_URL: "http://upstream.test", PRETRUSTED_TOKENS: "some-key" };

test("nothing changes without settings of another product", () => {
  const environment = { FLAGS_URL: "u", WORKERS: "4", APP_NAME: "a", REDIS_URL: "r", PORT: "1" };
  expect(translateEnvironment(environment)).toMatchObject({
    environment,
    products: [],
    used: [],
    ineffective: [],
    problems: [],
    hints: [],
  });
});

test.each(OLD_PROXY_ALIASES.map(({ name }) => name))("%s is read as our variable", (name) => {
  const ours = name.replace("UNLEASH_", "FLAGS_");
  expect(KNOWN).toContain(ours);
  const { environment, origins, used } = translateEnvironment({ [name]: " value " });
  expect(environment[ours]).toBe("value");
  expect(origins.get(ours)).toBe(name);
  expect(used).toHaveLength(1);
});

test.each(EDGE_ALIASES.map((alias) => [alias.name, alias] as const))(
  "Edge's %s has our name, or a reason why it has no effect",
  (name, { to, missing }) => {
    for (const variable of to) expect(KNOWN).toContain(variable);
    expect(missing === undefined).toBe(to.length > 0);
    expect(EDGE_ALIASES.filter((alias) => alias.name === name)).toHaveLength(1);
  },
);

test("the names by which Edge is recognized are settings of Edge", () => {
  const names = EDGE_ALIASES.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining([...TYPICAL_EDGE_NAMES]));
});

test.each([
  [{ UPSTREAM_URL: "https://u.test/" }, { FLAGS_URL: "https://u.test/api" }],
  [{ UPSTREAM_URL: "https://u.test/base/api" }, { FLAGS_URL: "https://u.test/base/api" }],
  [{ TOKENS: "a:b.c" }, { FLAGS_API_TOKEN: "a:b.c", EXP_SERVER_SIDE_SDK_CONFIG_TOKENS: "a:b.c" }],
  [
    { TOKENS: "a:b.c", CLIENT_TOKENS: "d:b.e" },
    { FLAGS_API_TOKEN: "a:b.c", EXP_SERVER_SIDE_SDK_CONFIG_TOKENS: "a:b.c,d:b.e" },
  ],
  [
    { PRETRUSTED_TOKENS: "a:b.c", FRONTEND_TOKENS: "d:b.e" },
    { FLAGS_PROXY_CLIENT_KEYS: "a:b.c,d:b.e" },
  ],
  [
    { TOKENS: "*:dev.s", PRETRUSTED_TOKENS: "plain@dev,*:dev.f" },
    { FLAGS_PROXY_CLIENT_KEYS: "plain,*:dev.f" },
  ],
  [{ FEATURES_REFRESH_INTERVAL_SECONDS: "7" }, { FLAGS_FETCH_INTERVAL: "7000" }],
  [{ METRICS_INTERVAL_SECONDS: "120" }, { FLAGS_METRICS_INTERVAL: "120000" }],
  [{ DISABLE_ALL_ENDPOINT: "true" }, { ENABLE_ALL_ENDPOINT: "false" }],
  [{ DISABLE_ALL_ENDPOINT: "false" }, { ENABLE_ALL_ENDPOINT: "true" }],
  [{ SKIP_SSL_VERIFICATION: "true" }, { HTTP_OPTIONS_REJECT_UNAUTHORIZED: "false" }],
  [{ SKIP_SSL_VERIFICATION: "false" }, { HTTP_OPTIONS_REJECT_UNAUTHORIZED: undefined }],
  [{ STREAMING: "true" }, { FLAGS_SYNCHRONIZATION: "streaming" }],
  [{ STREAMING: "true", DELTA: "true" }, { FLAGS_SYNCHRONIZATION: "streaming" }],
  [{ DELTA: "true" }, { FLAGS_SYNCHRONIZATION: "delta" }],
  [{ LOG_FORMAT: "json" }, { JSON_LOGGER: "true" }],
  [{ LOG_FORMAT: "pretty" }, { JSON_LOGGER: "false" }],
  [{ RUST_LOG: "trace" }, { LOG_LEVEL: "debug" }],
  [{ RUST_LOG: "off" }, { LOG_LEVEL: "fatal" }],
  [{ RUST_LOG: "warn,unleash_edge=debug" }, { LOG_LEVEL: "debug" }],
  [{ RUST_LOG: "hyper=debug,error" }, { LOG_LEVEL: "error" }],
  [{ TRUST_PROXY: "true" }, { TRUST_PROXY: "true" }],
  [{ TRUST_PROXY: "true", PROXY_TRUSTED_SERVERS: "10.0.0.0/8" }, { TRUST_PROXY: "10.0.0.0/8" }],
  [{ PROXY_TRUSTED_SERVERS: "10.0.0.0/8" }, { TRUST_PROXY: undefined }],
  [{ TLS_ENABLE: "true" }, { PORT: "3043", FLAGS_TLS_PORT: undefined }],
  [
    { TLS_ENABLE: "true", TLS_SERVER_PORT: "8443", PORT: "8080" },
    { PORT: "8443", FLAGS_TLS_PORT: undefined },
  ],
  [
    { TLS_ENABLE: "true", PORT: "8080", REDIRECT_HTTP_TO_HTTPS: "true" },
    { PORT: "8080", FLAGS_TLS_PORT: "3043", FLAGS_TLS_REDIRECT: "true" },
  ],
  [
    { TLS_ENABLE: "true", PORT: "8080", FLAGS_TLS_PORT: "8443" },
    { PORT: "8080", FLAGS_TLS_PORT: "8443" },
  ],
  [{ TLS_ENABLE: "false", TLS_SERVER_PORT: "8443", PORT: "8080" }, { PORT: "8080" }],
  [{ TOKEN_HEADER: "X-Key" }, { CLIENT_KEY_HEADER_NAME: "X-Key" }],
  [{ TOKEN_HEADER: "X-Key", EDGE_AUTH_HEADER: "X-Edge" }, { CLIENT_KEY_HEADER_NAME: "X-Edge" }],
  [{ INTERFACE: "127.0.0.1" }, { HOST: "127.0.0.1" }],
  [{ REDIS_URL: "redis://a:b@cache:1/2" }, { FLAGS_STORE: "redis://a:b@cache:1/2" }],
  [
    { REDIS_URL: "redis://a:b@cache:1/2", REDIS_PASSWORD: "p@ss", REDIS_PORT: "7000" },
    { FLAGS_STORE: "redis://a:p%40ss@cache:7000/2" },
  ],
  [
    { REDIS_URL: "redis://cache", REDIS_USERNAME: "flags", REDIS_SECURE: "true" },
    { FLAGS_STORE: "rediss://flags@cache" },
  ],
  [
    { REDIS_URL: "redis://a:b@one:1,redis://a:b@two:2", REDIS_PASSWORD: "ignored" },
    { FLAGS_STORE: "redis+cluster://a:b@one:1,two:2" },
  ],
  [
    { REDIS_URL: "rediss://one:1/0", REDIS_MODE: "cluster" },
    { FLAGS_STORE: "rediss+cluster://one:1" },
  ],
  [{ REDIS_HOST: "cache" }, { FLAGS_STORE: "redis://cache" }],
  [
    { REDIS_HOST: " cache ", REDIS_PORT: "7000", REDIS_PASSWORD: "p:a/s%s" },
    { FLAGS_STORE: "redis://:p%3Aa%2Fs%25s@cache:7000" },
  ],
  [
    { REDIS_HOST: "cache", REDIS_USERNAME: "flags", REDIS_PASSWORD: "p", REDIS_SCHEME: "rediss" },
    { FLAGS_STORE: "rediss://flags:p@cache" },
  ],
  [
    { REDIS_HOST: "[::1]", REDIS_PORT: "1", REDIS_SCHEME: "tls" },
    { FLAGS_STORE: "rediss://[::1]:1" },
  ],
  [{ REDIS_HOST: "cache", REDIS_SECURE: "true" }, { FLAGS_STORE: "rediss://cache" }],
  [{ REDIS_HOST: "cache", REDIS_SECURE: "false" }, { FLAGS_STORE: "redis://cache" }],
  [{ REDIS_HOST: "one", REDIS_MODE: "cluster" }, { FLAGS_STORE: "redis+cluster://one" }],
  [{ REDIS_HOST: "other", REDIS_URL: "redis://cache" }, { FLAGS_STORE: "redis://cache" }],
  [{ REDIS_PORT: "7000", REDIS_PASSWORD: "p" }, { FLAGS_STORE: undefined }],
  [{ REDIS_HOST: "cache", FLAGS_STORE: "file:/flags" }, { FLAGS_STORE: "file:/flags" }],
  [{}, { PORT: "3063", ENABLE_ALL_ENDPOINT: "true", FLAGS_FETCH_INTERVAL: "15000" }],
  [{}, { CORS_EXPOSED_HEADERS: "*" }],
  [{ CORS_EXPOSED_HEADERS: "ETag" }, { CORS_EXPOSED_HEADERS: "ETag" }],
  [{ PROXY_PORT: "80" }, { PORT: undefined }],
  [{ FLAGS_URL: "http://ours.test/api" }, { FLAGS_URL: "http://ours.test/api" }],
  [{ FLAGS_API_TOKEN_FILE: "/t", TOKENS: "a:b.c" }, { FLAGS_API_TOKEN: undefined }],
])("Edge's %j becomes %j", (environment, expected) => {
  const { environment: translated, problems } = translateEnvironment({ ...EDGE, ...environment });
  expect(problems).toEqual([]);
  for (const [name, value] of Object.entries(expected)) {
    expect([name, translated[name]]).toEqual([name, value]);
  }
});

test.each([
  [
    { FEATURES_REFRESH_INTERVAL_SECONDS: "15s" },
    'must be a whole number of seconds, at most 1000000: current value is "15s"',
  ],
  [{ DISABLE_ALL_ENDPOINT: "maybe" }, "must be true or false"],
  [{ LOG_FORMAT: "xml" }, "must be json, plain or pretty"],
  [{ RUST_LOG: "loud" }, "must contain a level"],
  [{ REDIS_HOST: "cache", REDIS_PORT: "0" }, "must be a port, from 1 to 65535"],
  [{ REDIS_HOST: "/run/redis", REDIS_SCHEME: "redis-unix" }, "must be redis, rediss, tcp or tls"],
  [{ REDIS_HOST: "cache", REDIS_MODE: "sentinel" }, "must be single or cluster"],
  [
    { TOKENS: "*:dev.s", PRETRUSTED_TOKENS: "k@prod" },
    ": entry 1 has the form secret@environment, which requires that TOKENS or FLAGS_API_TOKEN contains exactly one token, of that environment",
  ],
  [
    { FLAGS_API_TOKEN_FILE: "/t", PRETRUSTED_TOKENS: "k@prod" },
    ": entry 1 has the form secret@environment, which requires that TOKENS or FLAGS_API_TOKEN contains exactly one token, of that environment",
  ],
  [
    { TOKENS: "*:dev.s,*:prod.s", PRETRUSTED_TOKENS: "k@dev" },
    ": entry 1 has the form secret@environment, which requires that TOKENS or FLAGS_API_TOKEN contains exactly one token, of that environment",
  ],
  [{ UNLEASH_URL: "http://other.test/api" }, "and UPSTREAM_URL both set FLAGS_URL"],
  [{ UPSTREAM_AUTH_HEADER: "X-Token" }, "has no effect here: the upstream token is always sent"],
])("Edge's %j prevents the start", (environment, problem) => {
  const { problems } = translateEnvironment({ ...EDGE, ...environment });
  expect(problems).toHaveLength(1);
  const name = Object.keys(environment).at(-1) ?? "";
  expect(problems[0]).toContain(`${name}${problem.startsWith(":") ? "" : " "}${problem}`);
  expect(problems[0]).not.toContain("k@");
});

test("Edge's offline mode reads a file, and its tokens may be used for everything", () => {
  const { environment, problems, hints } = translateEnvironment(
    { BOOTSTRAP_FILE: "a?b.json", TOKENS: "*:dev.s", RELOAD_INTERVAL: "5" },
    { product: "edge" },
  );
  expect([...problems, ...hints]).toEqual([]);
  expect(environment).toMatchObject({
    FLAGS_URL: "file:a%3Fb.json",
    FLAGS_PROXY_CLIENT_KEYS: "*:dev.s",
    EXP_SERVER_SIDE_SDK_CONFIG_TOKENS: "*:dev.s",
  });
  expect(environment["FLAGS_API_TOKEN"]).toBeUndefined();
});

test.each(
  EDGE_ALIASES.filter(({ missing }) => missing?.effect === "refused").map(({ name }) => name),
)("%s prevents the start, because the proxy would be less protected without it", (name) => {
  const { problems } = translateEnvironment({ ...EDGE, [name]: "true" });
  expect(problems).toEqual([expect.stringMatching(`^${name} has no effect here: `)]);
});

test("lists of allowed addresses keep their values", () => {
  const given = { UPSTREAM_URL: "http://u.test", ALLOW_LIST: "10.0.0.0/8" };
  const { environment, problems, hints } = translateEnvironment(given);
  expect(environment).toMatchObject({ FLAGS_ALLOW_LIST: "10.0.0.0/8" });
  expect([...problems, ...hints]).toEqual([]);
});

test.each([
  [{ TRUST_PROXY: "true" }, true],
  [{ TRUST_PROXY: "true", PROXY_TRUSTED_SERVERS: "10.0.0.1" }, true],
  [{ TRUST_PROXY: "false", PROXY_TRUSTED_SERVERS: "10.0.0.1" }, false],
  [{ TRUST_PROXY: "" }, false],
])("with %j, lists of addresses differ from Edge: %s", (trust, differ) => {
  const { used } = translateEnvironment({
    ...EDGE,
    ALLOW_LIST: "10.0.0.0/8",
    DENY_LIST: "10.1.0.0/16",
    ...trust,
  });
  const losses = used.filter(({ loss }) => loss !== undefined).map(({ name }) => name);
  expect(losses).toEqual(differ ? ["ALLOW_LIST", "DENY_LIST"] : []);
});

test("UPSTREAM_URL next to FLAGS_URL has no effect, and a hint says so", () => {
  const given = { FLAGS_URL: "http://ours.test/api", UPSTREAM_URL: "http://u.test", WORKERS: "4" };
  const { environment, defaults, hints } = translateEnvironment(given);
  expect({ environment, defaults }).toEqual({ environment: given, defaults: {} });
  expect(hints).toEqual([expect.stringMatching(/^UPSTREAM_URL has no effect: /)]);
});

test("our own names take precedence, and the report says so", () => {
  const { environment, ineffective } = translateEnvironment({
    FLAGS_APP_NAME: "ours",
    UNLEASH_APP_NAME: "old",
  });
  expect(environment["FLAGS_APP_NAME"]).toBe("ours");
  expect(ineffective).toEqual([
    { name: "UNLEASH_APP_NAME", effect: "overridden", reason: "FLAGS_APP_NAME takes precedence" },
  ]);
});

test("a file with tokens means the offline mode of Edge, unless our own address is set", () => {
  const file = { BOOTSTRAP_FILE: "flags.json" };
  expect(translateEnvironment({ ...file, FRONTEND_TOKENS: "*:dev.a" }).products).toEqual(["edge"]);
  expect(translateEnvironment({ ...file, CLIENT_TOKENS: "*:dev.a" }).products).toEqual(["edge"]);
  expect(translateEnvironment(file).products).toEqual([]);
  const ours = { FLAGS_URL: "https://flags.test/api", TOKENS: "*:dev.a" };
  expect(translateEnvironment({ ...file, ...ours }).products).toEqual([]);
});

test("with settings of Edge, the upstream verifies keys, unless our settings list them or there is no upstream", () => {
  const keysIn = (given: Record<string, string>): string | undefined =>
    translateEnvironment({ ...EDGE, ...given }).environment["FLAGS_UPSTREAM_KEYS"];
  expect(keysIn({})).toBe("true");
  expect(keysIn({ PRETRUSTED_TOKENS: "*:development.a" })).toBe("true");
  expect(keysIn({ FLAGS_UPSTREAM_KEYS: "false" })).toBe("false");
  expect(keysIn({ FLAGS_ACCESS_FILE: "access.yaml" })).toBeUndefined();
  expect(keysIn({ BOOTSTRAP_FILE: "flags.json" })).toBeUndefined();
});
