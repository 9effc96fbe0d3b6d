import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createDirectory, startWithAccessFile } from "./_access-file.ts";
import { runCommand } from "./_command.ts";
import { flag, HALF_OF_SESSIONS, withConstraint } from "./_documents.ts";
import { startFeatureServer } from "./_feature-server.ts";
import { KEY, SERVER_TOKEN, startProxy } from "./_proxy.ts";
import type { SourceDocument } from "./_source.ts";

const config = { explainEnabled: true, enableAllEndpoint: true };

const DOCUMENT: SourceDocument = {
  features: [
    flag("checkout", { project: "web", strategies: [withConstraint("plan", ["pro"])] }),
    flag("half", { project: "web", strategies: [HALF_OF_SESSIONS] }),
    flag("child", {
      project: "web",
      dependencies: [{ feature: "payments", enabled: true, variants: [] }],
    }),
    flag("payments", { project: "app", enabled: false }),
  ],
};

const asServer = { authorization: SERVER_TOKEN };

interface Explained {
  readonly name: string;
  readonly enabled: boolean;
  readonly explanation: string;
  readonly [field: string]: unknown;
}

async function flagsOf(response: Response): Promise<readonly Explained[]> {
  expect(response.status).toBe(200);
  return ((await response.json()) as { flags: Explained[] }).flags;
}

test("POST /proxy/explain says why flags are on or off", async () => {
  const { post } = await startProxy({ config, document: DOCUMENT });
  const body = { context: { properties: { plan: "free" } }, flags: ["checkout", "unknown"] };
  const response = await post("/proxy/explain", body, asServer);
  expect(response.headers.get("cache-control")).toBe("no-store");
  const [checkout, unknown] = await flagsOf(response);
  expect(checkout).toMatchObject({
    name: "checkout",
    enabled: false,
    reason: "DEFAULT",
    explanation: 'The flag is off because plan is "free", which is not "pro".',
    enabledInEnvironment: true,
    strategies: [{ matched: false, constraints: [{ actual: "free", values: { shown: ["pro"] } }] }],
  });
  expect(unknown).toMatchObject({
    name: "unknown",
    enabled: false,
    variant: { name: "disabled", enabled: false },
    reason: "FLAG_NOT_FOUND",
    explanation: expect.stringMatching(/check its spelling, .* FLAGS_TAGS\.$/) as string,
  });
});

test("explanations of all flags agree with GET /proxy/all for many contexts", async () => {
  const { post } = await startProxy({ config, document: DOCUMENT });
  for (let index = 0; index < 50; index += 1) {
    const context = {
      sessionId: `session-${index}`,
      properties: { plan: index % 2 === 0 ? "pro" : "free" },
    };
    // oxlint-disable-next-line no-await-in-loop
    const [listed, explained] = await Promise.all([
      post("/proxy/all", { context }),
      post("/proxy/explain", { context }, asServer),
    ]);
    // oxlint-disable-next-line no-await-in-loop
    const { toggles } = (await listed.json()) as { toggles: Explained[] };
    // oxlint-disable-next-line no-await-in-loop
    const flags = await flagsOf(explained);
    const stateOf = ({ name, enabled, variant }: Explained) => ({ name, enabled, variant });
    expect(flags.map(stateOf)).toEqual(toggles.map(stateOf));
  }
});

test("clients get no explanations unless the access file allows it", async () => {
  const { post } = await startProxy({ config, document: DOCUMENT });
  const refused = await post("/proxy/explain", { context: {} });
  expect(refused.status).toBe(403);
  expect(await refused.json()).toEqual({
    error: "This key cannot request explanations: see `explain` in the access file",
  });
  expect((await post("/proxy/explain", {}, { authorization: "wrong" })).status).toBe(401);

  const production = { environment: "production" };
  const { post: postAs } = await startWithAccessFile({
    keys: [
      { name: "plain", key: "plain", ...production },
      { name: "web", key: "web", ...production, projects: ["web"], explain: true },
    ],
    document: DOCUMENT,
    config,
  });
  expect((await postAs("/proxy/explain", "plain", {})).status).toBe(403);
  const response = await postAs("/proxy/explain", "web", {});
  const text = await response.clone().text();
  expect((await flagsOf(response)).map(({ name }) => name)).toEqual(["checkout", "half", "child"]);
  // A flag of another project stays hidden, although one of this project depends on it.
  expect(text).not.toContain("payments");
  expect(text).toContain("it requires another flag to be on, which it is not");
  const [hidden] = await flagsOf(await postAs("/proxy/explain", "web", { flags: ["payments"] }));
  expect(hidden).toMatchObject({ reason: "FLAG_NOT_FOUND" });
});

test("without ENABLE_EXPLAIN, nobody gets explanations", async () => {
  const { post } = await startProxy({ document: DOCUMENT });
  for (const headers of [asServer, { authorization: KEY }]) {
    // oxlint-disable-next-line no-await-in-loop
    const response = await post("/proxy/explain", {}, headers);
    expect(response.status).toBe(501);
    // oxlint-disable-next-line no-await-in-loop
    expect(await response.json()).toEqual({
      error: "This endpoint is not enabled: set `enableExplain` (ENABLE_EXPLAIN) to true",
    });
  }
});

test("many requests at the same time cannot occupy the proxy", async () => {
  // Each takes several slices of time, so that the others arrive while it runs.
  const features = Array.from({ length: 3000 }, (_, index) =>
    flag(`flag-${index}`, { strategies: [HALF_OF_SESSIONS, HALF_OF_SESSIONS] }),
  );
  const { post, request } = await startProxy({ config, document: { features } });
  const explanations = Array.from({ length: 20 }, () => post("/proxy/explain", {}, asServer));
  expect((await request("/proxy")).status).toBe(200);
  const responses = await Promise.all(explanations);
  const refused = responses.filter(({ status }) => status === 503);
  expect(responses.length - refused.length).toBeGreaterThanOrEqual(4);
  expect(refused.length).toBeGreaterThan(0);
  expect(refused[0]?.headers.get("retry-after")).toBe("1");
  expect(await refused[0]?.json()).toEqual({
    error: "Too many explanations are being created at the moment: try again",
  });
  expect((await post("/proxy/explain", { flags: ["flag-1"] }, asServer)).status).toBe(200);
});

test("an invalid request names the problem", async () => {
  const { post } = await startProxy({ config, document: DOCUMENT });
  const response = await post("/proxy/explain", { flags: "checkout" }, asServer);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ validation: [{ path: "flags" }] });
});

test("flags-proxy explain: a file has the outcomes that the proxy has on this host", async () => {
  const directory = mkdtempSync(join(tmpdir(), "flags-explain-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const path = join(directory, "flags.json");
  const strategies = [{ name: "applicationHostname", parameters: { hostNames: "this-host" } }];
  writeFileSync(path, JSON.stringify({ version: 2, features: [flag("a", { strategies })] }));
  const settings = {
    FLAGS_URL: `file:${path}`,
    FLAGS_PROXY_CLIENT_KEYS: "a-client-key-of-the-test",
    HOSTNAME: "this-host",
  };
  const { stdout, code } = await runCommand(settings, ["explain", "a"]);
  expect(stdout).toMatch(/^a: The flag is on /);
  expect(code).toBe(0);
});

test("flags-proxy explain: reads the upstream, or queries a running proxy", async () => {
  const { url: upstream } = await startFeatureServer(DOCUMENT);
  const proxy = await startProxy({ config, document: DOCUMENT });
  const context = ["--context", '{"properties":{"plan":"pro"}}'];
  const settings = {
    FLAGS_URL: upstream,
    FLAGS_API_TOKEN: "*:development.secret-of-the-upstream",
  };
  const expected = [
    'checkout: The flag is on because plan is "pro".',
    "",
    "  yes  Enabled",
    "  yes  Strategy 1: default (decides)",
    '    yes  plan is "pro"',
    "    yes  it matches everyone",
    "",
  ].join("\n");
  const local = await runCommand(settings, ["explain", "checkout", ...context]);
  expect(local).toMatchObject({ stdout: expected, stderr: "", code: 0 });
  for (const path of ["", "/", "/proxy", "/api/frontend"]) {
    const remote = ["--url", `${proxy.url}${path}`, "--key", SERVER_TOKEN];
    // oxlint-disable-next-line no-await-in-loop
    expect(await runCommand({}, ["explain", "checkout", ...context, ...remote])).toMatchObject({
      stdout: expected,
      code: 0,
    });
  }
  const all = await runCommand(settings, ["explain"]);
  expect(all.stdout.split("\n").filter((line) => line !== "")).toHaveLength(4);
  expect(await runCommand(settings, ["explain", "nothing"])).toMatchObject({
    stdout: expect.stringMatching(
      /spelling, the environment and projects of the key, and the filters FLAGS_PROJECT_NAME/,
    ) as unknown,
    code: 1,
  });
  const invalid = await runCommand(settings, ["explain", "checkout", "--context", "plan=pro"]);
  expect(invalid.code).toBe(2);
  expect(invalid.stderr).toMatch(/^--context must be a JSON object such as/);
  const incomplete = await runCommand({}, ["explain", "--url", "localhost", "--key", SERVER_TOKEN]);
  expect(incomplete).toMatchObject({
    code: 2,
    stderr: "--url must be a URL that starts with http:// or https://\n",
  });
  const keyFile = join(await createDirectory(), "key");
  await writeFile(keyFile, `${SERVER_TOKEN}\n`);
  const withFile = ["explain", "checkout", ...context, "--url", proxy.url, "--key-file", keyFile];
  expect(await runCommand({}, withFile)).toMatchObject({ stdout: expected, code: 0 });
  expect(await runCommand({}, [...withFile, "--key", SERVER_TOKEN])).toMatchObject({
    code: 2,
    stderr: "--key and --key-file are both set: remove one of them\n",
  });
  const missing = await runCommand({}, ["explain", "--url", proxy.url, "--key-file", "/none"]);
  expect(missing).toMatchObject({
    code: 2,
    stderr: '--key-file: cannot read the file "/none": there is no such file\n',
  });
  const unused = ["--url", proxy.url, "--key", SERVER_TOKEN, "--environment", "development"];
  expect(await runCommand({}, ["explain", ...unused])).toMatchObject({
    code: 2,
    stderr:
      "--environment cannot be used with --url: the running proxy uses the environment of the key\n",
  });
  expect(await runCommand(settings, ["explain", "--key", SERVER_TOKEN])).toMatchObject({
    code: 2,
    stderr: "--key and --key-file can be used only with --url\n",
  });
  const denied = await runCommand({}, ["explain", "--url", `${proxy.url}/proxy`, "--key", KEY]);
  expect(denied.stderr).toContain("responded with 403: This key cannot request explanations");
  const misplaced = ["explain", "--url", `${proxy.url}/base`, "--key", SERVER_TOKEN];
  expect(await runCommand({}, misplaced)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /\/base\/proxy\/explain responded with 404: .*\. Check the address in --url, with the base path of the proxy\n$/,
    ) as unknown,
  });
  const closed = ["explain", "--url", "http://127.0.0.1:1/proxy", "--key", KEY];
  expect(await runCommand({}, closed)).toEqual({
    stdout: "",
    stderr: expect.stringMatching(
      /^Cannot reach http:\/\/127.0.0.1:1\/proxy\/explain: .+\n$/,
    ) as unknown,
    code: 1,
  });
});

test("flags-proxy explain --url: the token and its header come from settings, also under the names of Edge", async () => {
  const header = { ...config, clientKeysHeaderName: "x-key" };
  const { url } = await startProxy({ config: header, document: DOCUMENT });
  const args = ["explain", "checkout", "--url", `${url}/proxy`];
  for (const settings of [
    { EXP_SERVER_SIDE_SDK_CONFIG_TOKENS: SERVER_TOKEN, CLIENT_KEY_HEADER_NAME: "x-key" },
    { UPSTREAM_URL: "http://127.0.0.1:1", TOKENS: SERVER_TOKEN, EDGE_AUTH_HEADER: "x-key" },
  ]) {
    // oxlint-disable-next-line no-await-in-loop
    const { stdout, stderr, code } = await runCommand(settings, args);
    expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
    expect(stdout).toMatch(/^checkout: The flag is off /);
  }
  const invalid = await runCommand(
    { UPSTREAM_URL: "http://127.0.0.1:1", EDGE_AUTH_HEADER: "x key" },
    args,
  );
  expect(invalid.stderr).toContain("EDGE_AUTH_HEADER must be the name of an HTTP header");
});
