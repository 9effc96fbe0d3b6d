import { readdirSync, readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { loadTranslatedConfig } from "../src/migrate/load-translated-config.ts";
import { runCommand, startCommand, untilReady } from "./_command.ts";
import { frontend, startIssuingUpstream } from "./_issuing-upstream.ts";
import { installOldProxy } from "./_old-proxy.ts";
import { MemoryLogger } from "./_proxy.ts";
import { startRecordingUpstream } from "./_recording-upstream.ts";
import { makeFiles } from "./_settings-files.ts";

const STRATEGY = `module.exports = [{ name: "never", isEnabled: () => false }];`;
const ENRICHER = `module.exports = [(context) => ({ ...context, userId: "from-the-enricher" })];`;

/** An environment file of the old proxy with every variable that it reads. */
const oldProxyFile = (url: string, pathOf: (name: string) => string): string => `
UNLEASH_URL=${url}
UNLEASH_API_TOKEN=default:development.an-upstream-secret
UNLEASH_PROXY_CLIENT_KEYS=a-key-of-the-web-app, a-key-of-the-mobile-app
UNLEASH_PROXY_SECRETS=a-previous-key
PORT=0
PROXY_PORT=0
JSON_LOGGER=true
HTTPS_PROXY=http://127.0.0.1:9
PROXY_BASE_PATH=/base/
UNLEASH_APP_NAME=old-name
UNLEASH_INSTANCE_ID=old-instance
UNLEASH_FETCH_INTERVAL=5000
UNLEASH_METRICS_INTERVAL=30000
UNLEASH_METRICS_JITTER=10
UNLEASH_ENVIRONMENT=development
UNLEASH_PROJECT_NAME=default
UNLEASH_NAME_PREFIX=o
UNLEASH_TAGS=simple:proxy, simple:web
UNLEASH_CUSTOM_STRATEGIES_FILE=${pathOf("strategies.cjs")}
CLIENT_KEY_HEADER_NAME=authorization
TRUST_PROXY=TRUE
LOG_LEVEL=info
ENABLE_OAS=true
ENABLE_ALL_ENDPOINT=true
CORS_ORIGIN=https://a.example.com,https://b.example.com
CORS_METHODS=GET, POST
CORS_ALLOWED_HEADERS=authorization
CORS_EXPOSED_HEADERS=ETag
CORS_CREDENTIALS=false
CORS_MAX_AGE=172800
CORS_PREFLIGHT_CONTINUE=false
CORS_OPTIONS_SUCCESS_STATUS=204
HTTP_OPTIONS_REJECT_UNAUTHORIZED=true
EXP_BOOTSTRAP_URL=${url}/client/features
EXP_BOOTSTRAP_AUTHORIZATION=Bearer a-secret
EXP_SERVER_SIDE_SDK_CONFIG_TOKENS=a-token-for-server-sdks
EXP_CUSTOM_ENRICHERS_FILE=${pathOf("enrichers.cjs")}
`;

/** Settings that the documentation of Edge shows, without those that this version refuses. */
const edgeFile = (url: string, backupFolder: string): string => `
UPSTREAM_URL=${url.replace(/\/api$/, "")}
TOKENS=*:development.an-upstream-secret
PRETRUSTED_TOKENS=*:development.a-frontend-token
INTERFACE=127.0.0.1
BASE_PATH=/base
WORKERS=4
APP_NAME=edge-name
INSTANCE_ID=edge-instance
TRUST_PROXY=true
PROXY_TRUSTED_SERVERS=10.0.0.0/8,192.168.0.1
DISABLE_ALL_ENDPOINT=false
LOG_FORMAT=plain
RUST_LOG=warn,unleash_edge=info
STRICT=true
TOKEN_HEADER=Authorization
CORS_ORIGIN=https://a.example.com
CORS_MAX_AGE=3600
FEATURES_REFRESH_INTERVAL_SECONDS=10
METRICS_INTERVAL_SECONDS=60
TOKEN_REVALIDATION_INTERVAL_SECONDS=3600
SKIP_SSL_VERIFICATION=false
UPSTREAM_REQUEST_TIMEOUT=5
UPSTREAM_SOCKET_TIMEOUT=5
CLIENT_KEEPALIVE_TIMEOUT=15
EDGE_REQUEST_TIMEOUT=5
EDGE_KEEPALIVE_TIMEOUT=5
BACKUP_FOLDER=${backupFolder}
REDIS_URL=redis://127.0.0.1:6379
PROMETHEUS_REMOTE_WRITE_URL=https://prometheus.example.com/write
DISABLE_METRICS_BATCH_ENDPOINT=true
SENTRY_DSN=https://sentry.example.com/1
`;

async function namesFrom(url: string, path: string, key: string): Promise<readonly string[]> {
  const headers = { authorization: key, connection: "close" };
  const response = await fetch(`${url}${path}`, { headers });
  const body = (await response.json()) as {
    readonly toggles: readonly { readonly name: string }[];
  };
  return body.toggles.map(({ name }) => name);
}

const TWO_PROJECTS = JSON.stringify({
  version: 2,
  features: ["web", "app"].map((project) => ({
    name: `of-${project}`,
    project,
    enabled: true,
    strategies: [{ name: "default", parameters: {} }],
  })),
});

test("keys of Edge's settings are limited to the project that they name", async () => {
  const BOOTSTRAP_FILE = makeFiles({ "flags.json": TWO_PROJECTS })("flags.json");
  const FRONTEND_TOKENS = "web:production.a-key,*:production.b-key,[]:production.c-key";
  const CLIENT_TOKENS = "app:development.a-server-token";
  const command = startCommand(
    { BOOTSTRAP_FILE, FRONTEND_TOKENS, CLIENT_TOKENS },
    { args: ["offline"] },
  );
  const url = await command.listening();
  await untilReady(url);
  const namesOf = (key: string): Promise<readonly string[]> =>
    namesFrom(url, "/api/frontend/all", key);
  expect(await namesOf("web:production.a-key")).toEqual(["of-web"]);
  expect(await namesOf("*:production.b-key")).toEqual(["of-web", "of-app"]);
  // As in Edge: only an upstream knows the projects.
  expect(await namesOf("[]:production.c-key")).toEqual(["of-web", "of-app"]);
  const headers = { authorization: CLIENT_TOKENS, connection: "close" };
  const definitions = await (await fetch(`${url}/api/client/features`, { headers })).text();
  expect(definitions).toContain("of-app");
  expect(definitions).not.toContain("of-web");
  expect(command.output.stdout).not.toContain("gets the flags of other projects");
});

const UNSET = { PORT: "", HOST: "127.0.0.1" };

test("the test file for the old proxy contains every variable that its code reads", async () => {
  await installOldProxy();
  const directory = fileURLToPath(
    new URL("../../../bench/node_modules/@unleash/proxy/dist", import.meta.url),
  );
  const read = readdirSync(directory, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".js") && !file.includes("test"))
    .flatMap((file) => [
      ...readFileSync(join(directory, file), "utf8").matchAll(/process\.env\.(\w+)/g),
    ])
    .map(([, name]) => name)
    // Set by npm.
    .filter((name) => name !== "npm_package_version");
  const file = oldProxyFile("", () => "");
  expect(new Set(read).size).toBeGreaterThan(30);
  expect(read.filter((name) => !file.includes(`\n${name}=`))).toEqual([]);
});

test.each([1, 2])(
  "the proxy starts with an unchanged environment file of the old proxy with every setting (workers: %d)",
  async (workers) => {
    const upstream = await startRecordingUpstream();
    const files = { "strategies.cjs": STRATEGY, "enrichers.cjs": ENRICHER, "old.env": "" };
    const pathOf = makeFiles(files);
    const envFile = makeFiles({ "old.env": oldProxyFile(upstream.url, pathOf) })("old.env");
    const command = startCommand(
      { ...UNSET, FLAGS_PROXY_WORKERS: String(workers) },
      { args: ["--env-file", envFile] },
    );
    const url = await command.listening();
    expect(new URL(url).pathname).toBe("/base");
    await untilReady(url);
    expect(await namesFrom(url, "/proxy", "a-key-of-the-web-app")).toEqual(["on"]);
    expect(await namesFrom(url, "/proxy/all", "a-key-of-the-mobile-app")).toEqual(["on"]);
    const { headers } = await upstream.first(
      "/api/client/features?project=default&namePrefix=o&tag=simple%3Aproxy&tag=simple%3Aweb",
    );
    expect(headers).toMatchObject({
      authorization: "default:development.an-upstream-secret",
      "unleash-appname": "old-name",
    });
    command.signal("SIGTERM");
    const { code, stdout, stderr } = await command.finished();
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout.match(/Settings of the Unleash proxy are in use/g)).toHaveLength(1);
    expect(stdout).toContain("UNLEASH_FETCH_INTERVAL is read as FLAGS_FETCH_INTERVAL");
    expect(stdout).not.toContain("never read");
    expect(stdout).not.toMatch(/a-key-of|upstream-secret|a-secret/);
  },
);

test.each([1, 2])(
  "the proxy starts with an unchanged environment file of Edge (workers: %d)",
  async (workers) => {
    const upstream = await startRecordingUpstream();
    const backupFolder = dirname(makeFiles({ "before.txt": "" })("before.txt"));
    const envFile = makeFiles({ "edge.env": edgeFile(upstream.url, backupFolder) })("edge.env");
    const command = startCommand(
      { FLAGS_PROXY_WORKERS: String(workers) },
      { args: ["--port", "0", "edge", "--env-file", envFile] },
    );
    const url = await command.listening();
    await untilReady(url);
    const key = "*:development.a-frontend-token";
    expect(await namesFrom(url, "/api/frontend", key)).toEqual(["on"]);
    expect(await namesFrom(url, "/api/frontend/all", key)).toEqual(["on"]);
    const definitions = await fetch(`${url}/api/client/features`, {
      headers: { authorization: "*:development.an-upstream-secret", connection: "close" },
    });
    expect(definitions.status).toBe(200);
    const { headers } = await upstream.first("/api/client/features");
    expect(headers).toMatchObject({ "unleash-appname": "edge-name", "unleash-interval": "10000" });
    command.signal("SIGTERM");
    const { code, stdout } = await command.finished();
    expect(code).toBe(0);
    expect(stdout.match(/Settings of Unleash Edge are in use/g)).toHaveLength(1);
    for (const line of [
      "UPSTREAM_URL is read as FLAGS_URL, with /api at the end",
      "BACKUP_FOLDER is read as FLAGS_STORE, as file: and the path",
      "WORKERS has no effect: Edge 20 does not read it either",
      "PROMETHEUS_REMOTE_WRITE_URL has no effect: metrics are not pushed",
    ]) {
      expect(stdout).toContain(line);
    }
    expect(stdout).not.toMatch(/a-frontend-token|an-upstream-secret/);
    expect(await readdir(backupFolder)).toContain("v1");
  },
);

test("with settings of Edge and no keys, the upstream verifies those that clients send", async () => {
  const key = "*:development.a-frontend-token";
  const upstream = await startIssuingUpstream({ [key]: frontend("development", "web") });
  const command = startCommand(
    {
      UPSTREAM_URL: upstream.url.replace(/\/api$/, ""),
      TOKENS: "*:development.an-upstream-secret",
      TOKEN_REVALIDATION_INTERVAL_SECONDS: "60",
    },
    { args: ["--port", "0", "edge"] },
  );
  const url = await command.listening();
  await untilReady(url);
  expect(await namesFrom(url, "/api/frontend", key)).toEqual(["development.web"]);
  expect(command.output.stdout).toContain(
    "TOKEN_REVALIDATION_INTERVAL_SECONDS is read as FLAGS_UPSTREAM_KEYS_INTERVAL",
  );
  expect(command.output.stdout).toMatch(
    /Defaults of Unleash Edge apply: .*FLAGS_UPSTREAM_KEYS=true/,
  );
  // As in Edge, this is logged without a setting.
  expect(command.output.stdout).toContain("Synchronized with the upstream");
});

test("without a port, the default port of the replaced product is used, also by probes", async () => {
  const edge = { UPSTREAM_URL: "http://127.0.0.1:2", PORT: "" };
  const old = { UNLEASH_URL: "http://127.0.0.1:2/api", PORT: "" };
  expect((await runCommand(edge, ["health"])).stdout).toContain("http://127.0.0.1:3063/proxy");
  expect((await runCommand(old, ["ready"])).stdout).toContain("http://127.0.0.1:3000/ready");
  const [byOption, byVariable] = await Promise.all([
    runCommand(edge, ["health", "--edge-url", "http://127.0.0.1:3/base"]),
    runCommand({ ...edge, EDGE_URL: "http://127.0.0.1:4" }, ["ready"]),
  ]);
  expect(byOption.stdout).toContain("http://127.0.0.1:3/base/internal-backstage/health");
  expect(byVariable.stdout).toContain("http://127.0.0.1:4/ready");
  const keys = { TOKENS: "*:dev.s", PRETRUSTED_TOKENS: "*:dev.f" };
  const config = await loadTranslatedConfig({ logger: new MemoryLogger() }, { ...edge, ...keys });
  expect(config).toMatchObject({ port: 3063, enableAllEndpoint: true, refreshIntervalMs: 15_000 });
});

test("a setting of Edge for a protection that this version lacks prevents the start", async () => {
  const { code, stdout, stderr } = await runCommand(
    { UPSTREAM_URL: "http://127.0.0.1:2", TOKENS: "*:dev.some-secret", UPSTREAM_AUTH_HEADER: "x" },
    ["edge"],
  );
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toContain(
    "- UPSTREAM_AUTH_HEADER has no effect here: the upstream token is always",
  );
  expect(stderr).not.toContain("some-secret");
});

test("arguments of Edge that cannot be used are a usage error", async () => {
  expect(await runCommand({}, ["edge", "--upstream", "x"])).toEqual({
    code: 2,
    stdout: "",
    stderr: "Unknown option --upstream: see flags-proxy edge --help\n",
  });
  expect(await runCommand({}, ["offline", "--tokens", "*:dev.a-token"])).toEqual({
    code: 2,
    stdout: "",
    stderr: "flags-proxy offline needs a file with flags: --bootstrap-file FILE\n",
  });
  const { code, stdout } = await runCommand({}, ["edge", "--help"]);
  expect(code).toBe(0);
  expect(stdout).toContain("--upstream-url VALUE");
});

test("check accepts the command line of Edge, next to its own options", async () => {
  const upstream = await startIssuingUpstream({});
  const address = upstream.url.replace(/\/api$/, "");
  const line = `check --json edge --upstream-url ${address} --tokens *:development.a-secret`;
  const { stdout, stderr } = await runCommand({}, line.split(" "));
  expect(stderr).toBe("");
  expect(JSON.parse(stdout)).toMatchObject({
    settings: { flagsUrl: upstream.url, upstreamKeys: true },
    upstreams: [{ source: "development" }],
  });
});

test("explain accepts the command line of Edge, next to its own arguments", async () => {
  const upstream = await startIssuingUpstream({});
  const address = upstream.url.replace(/\/api$/, "");
  const explain = async (line: string) =>
    runCommand({}, `explain ${line} --upstream-url ${address} --tokens *:development.s`.split(" "));
  for (const line of ["unknown-flag --json edge", "--json unknown-flag edge"]) {
    // oxlint-disable-next-line no-await-in-loop -- a command takes a core
    const { stdout, stderr } = await explain(line);
    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toMatchObject({ flags: [{ name: "unknown-flag" }] });
  }
  const all = await explain("edge");
  expect(all).toMatchObject({ stderr: "", code: 0 });
});

test("options of the old proxy are accepted in code, and ours take precedence", async () => {
  const logger = new MemoryLogger();
  const options = {
    logger,
    unleashUrl: "http://old.test/api",
    unleashApiToken: "an-upstream-token",
    unleashAppName: "old-name",
    flagsAppName: "our-name",
    unleashInstanceId: "old-instance",
    clientKeys: ["a-key-of-the-web-app"],
  };
  expect(await loadTranslatedConfig(options, {})).toMatchObject({
    upstreamUrl: "http://old.test/api",
    upstreamTokens: ["an-upstream-token"],
    appName: "our-name",
    instanceId: "old-instance",
  });
  const lines = logger.lines.filter(({ level }) => level === "info").map(({ parts }) => parts[0]);
  expect(lines).toContain("Option unleashUrl is read as flagsUrl");
  expect(logger.lines.filter(({ level }) => level === "warn")).toEqual([]);
  const failure = loadTranslatedConfig({ ...options, unleashUrl: "ftp://old.test" }, {});
  await expect(failure).rejects.toThrow("Option unleashUrl must be a URL");
});

test("UPSTREAM_URL of a program that embeds the proxy changes no default", async () => {
  const options = {
    logger: new MemoryLogger(),
    flagsUrl: "http://ours.test/api",
    flagsApiToken: "an-upstream-token",
    clientKeys: ["a-key-of-the-web-app"],
  };
  const environment = { UPSTREAM_URL: "http://other.test", WORKERS: "many", BASE_PATH: "other" };
  expect(await loadTranslatedConfig(options, environment)).toMatchObject({
    upstreamUrl: "http://ours.test/api",
    port: 3000,
    basePath: "",
  });
});

test("warnings about keys name the variable that is set", async () => {
  const logger = new MemoryLogger();
  await loadTranslatedConfig(
    { logger },
    {
      UPSTREAM_URL: "http://127.0.0.1:2",
      TOKENS: "*:development.an-upstream-secret",
      PRETRUSTED_TOKENS: "[]:development.a-frontend-token",
    },
  );
  expect(logger.lines.map(({ parts }) => parts[0])).toContainEqual(
    expect.stringMatching(/^Entry 1 of PRETRUSTED_TOKENS is a key for some projects, /),
  );
});

test("problems name the variable that is set", async () => {
  const { stderr } = await runCommand({ UNLEASH_FETCH_INTERVAL: "soon", UNLEASH_URL: "ftp://u" });
  expect(stderr).toContain("- UNLEASH_FETCH_INTERVAL must be a whole number of milliseconds");
  expect(stderr).toContain("- UNLEASH_URL must be a URL");
});
