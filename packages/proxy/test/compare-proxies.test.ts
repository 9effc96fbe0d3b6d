import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { makeDatabase, startCommand as startAdmin } from "../../admin/test/_command.ts";
import { Authority, writeFiles } from "./_certificates.ts";
import { eventually, runCommand, startCommand, untilReady } from "./_command.ts";
import { flag, HALF_OF_SESSIONS, withConstraint } from "./_documents.ts";
import { startFeatureServer } from "./_feature-server.ts";
import { installOldProxy, startOldProxy } from "./_old-proxy.ts";
import { findFreePort } from "./_ports.ts";
import { makeFiles } from "./_settings-files.ts";
import type { SourceDocument } from "./_source.ts";

beforeAll(installOldProxy);

const KEY = "a-key-of-the-web-app";

const constraint = (
  contextName: string,
  operator: string,
  value: string,
  values: string[] = [],
) => ({
  name: "default",
  parameters: {},
  constraints: [{ contextName, operator, value, values, inverted: false, caseInsensitive: false }],
});

const rollout = (percent: string, stickiness: string) => ({
  name: "flexibleRollout",
  parameters: { rollout: percent, stickiness, groupId: "group" },
  constraints: [],
});

const variant = (name: string, payload?: object) => ({
  name,
  weight: 500,
  weightType: "variable",
  stickiness: "default",
  ...(payload && { payload }),
  overrides: [{ contextName: "plan", values: [`only-${name}`] }],
});

/** Rules of every kind, and a random flag. */
const RULES: SourceDocument = {
  version: 2,
  features: [
    flag("on"),
    flag("off", { enabled: false }),
    flag("country", { strategies: [withConstraint("country", ["de", "fr"])] }),
    flag("user-list", { strategies: [{ name: "userWithId", parameters: { userIds: "7, 8" } }] }),
    flag("address", { strategies: [{ name: "remoteAddress", parameters: { IPs: "10.1.2.3" } }] }),
    flag("age", { strategies: [constraint("age", "NUM_GT", "18")] }),
    flag("version", { strategies: [constraint("version", "SEMVER_GT", "1.2.3")] }),
    flag("since", {
      strategies: [constraint("currentTime", "DATE_AFTER", "2026-01-01T00:00:00Z")],
    }),
    flag("text", { strategies: [constraint("mail", "STR_ENDS_WITH", "", ["@example.com"])] }),
    flag("half", { impressionData: true, strategies: [HALF_OF_SESSIONS] }),
    flag("third", { strategies: [rollout("33", "userId")] }),
    flag("random", { strategies: [rollout("50", "random")] }),
    flag("segment", { strategies: [{ name: "default", segments: [1] }] }),
    flag("variants", {
      variants: [variant("blue", { type: "string", value: "#00f" }), variant("red")],
    }),
    flag("child", { dependencies: [{ feature: "half", enabled: true }] }),
  ],
  segments: [{ id: 1, constraints: constraint("plan", "IN", "", ["gold"]).constraints }],
};

async function startOurs(url: string, environment: Record<string, string> = {}) {
  const settings = {
    FLAGS_URL: url,
    FLAGS_API_TOKEN: "default:development.an-upstream-secret",
    FLAGS_PROXY_CLIENT_KEYS: KEY,
    ENABLE_ALL_ENDPOINT: "true",
    FLAGS_METRICS_INTERVAL: "0",
    ...environment,
  };
  const command = startCommand(settings);
  const origin = await command.listening();
  await untilReady(origin);
  const compare = (...args: string[]) =>
    runCommand(settings, ["compare", "--url", `${origin}/proxy`, ...args]);
  return { origin, compare };
}

const oldSettings = (url: string): Record<string, string> => ({
  UNLEASH_URL: url,
  UNLEASH_API_TOKEN: "default:development.an-upstream-secret",
  UNLEASH_PROXY_CLIENT_KEYS: "a-key-of-the-old-proxy",
  ENABLE_ALL_ENDPOINT: "true",
  LOG_LEVEL: "error",
});

test("the old proxy and this one return the same flags", async () => {
  const upstream = await startFeatureServer(RULES);
  const [other, ours] = await Promise.all([
    startOldProxy(oldSettings(upstream.url)),
    startOurs(upstream.url),
  ]);
  const otherProxy = ["--with", other, "--with-key", "a-key-of-the-old-proxy"];
  const { code, stdout, stderr } = await ours.compare(...otherProxy);
  expect(stderr).toBe("");
  expect(stdout).toMatch(/^Compared 14 flags for 1000 contexts\n/);
  expect(stdout).toMatch(
    /Random fields: userId, sessionId, (?=.*\bage\b)(?=.*\bplan\b)(?=.*\bversion\b)(?=.*currentTime)/,
  );
  expect(stdout).toContain("Random from request to request, not compared: random\n");
  expect(stdout).toContain("\nNo differences\n");
  expect(code).toBe(0);
  process.stdout.write(`compare, old proxy and this one: ${stdout}`);

  const all = await ours.compare(...otherProxy, "--all", "--count", "100");
  expect(all.stdout).toMatch(/^Compared 15 flags for 100 contexts\n[\s\S]*\nNo differences\n$/);
});

test("the old proxy and this one return the same flags of flags-admin", async () => {
  const token = "default:development.an-upstream-secret";
  const admin = startAdmin({
    ...(await makeDatabase()),
    INIT_ADMIN_API_TOKENS: "*:*.an-admin-token-of-my-choice",
    INIT_CLIENT_API_TOKENS: token,
  });
  const origin = await admin.listening();
  const headers = {
    authorization: "*:*.an-admin-token-of-my-choice",
    "content-type": "application/json",
  };
  const post = async (path: string, body: unknown = {}): Promise<void> => {
    const url = `${origin}/api/admin/projects/default/features${path}`;
    const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
    expect([path, response.ok, await response.text()]).toEqual([path, true, expect.anything()]);
  };
  for (const [name, percent] of [
    ["button", "50"],
    ["banner", "90"],
  ] as const) {
    await post("", { name, type: "release" });
    const parameters = { rollout: percent, stickiness: "userId", groupId: name };
    const strategy = { name: "flexibleRollout", parameters, constraints: [] };
    await post(`/${name}/environments/development/strategies`, strategy);
    await post(`/${name}/environments/development/on`);
  }
  const [other, ours] = await Promise.all([
    startOldProxy(oldSettings(`${origin}/api`)),
    startOurs(`${origin}/api`),
  ]);
  const { code, stdout } = await ours.compare(
    "--with",
    other,
    "--with-key",
    "a-key-of-the-old-proxy",
    "--count=200",
  );
  expect(stdout).toMatch(/^Compared 2 flags for 200 contexts\n[\s\S]*\nNo differences\n$/);
  expect(code).toBe(0);
});

test("differences are printed per flag with an example, in every version of the API", async () => {
  const changed = RULES.features.map((feature) => {
    const { name } = feature as { readonly name: string };
    if (name === "third") return flag(name, { strategies: [rollout("66", "userId")] });
    return name === "variants" ? flag(name, { variants: [variant("blue")] }) : feature;
  });
  const [upstream, other] = await Promise.all([
    startFeatureServer(RULES),
    startFeatureServer({ ...RULES, features: changed }),
  ]);
  const [ours, second] = await Promise.all([startOurs(upstream.url), startOurs(other.url)]);
  const file = makeFiles({ "contexts.jsonl": '{"userId":"7"}\n\n{"properties":{"plan":"x"}}\n' });
  for (const path of ["/proxy", "/api/frontend", "/api/proxy"]) {
    const { code, stdout } = await ours.compare(
      `--with=${second.origin}${path}`,
      "--count=58",
      `--contexts=${file("contexts.jsonl")}`,
    );
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /\nvariants differs for \d+ of 60 contexts, for example\n {2}context {2}\{/,
    );
    expect(stdout).toMatch(/\nthird differs for \d+ of 60 contexts/);
    expect(stdout).toMatch(/ {2}A {8}not in the response\n {2}B {8}\{"enabled":true,/);
    expect(stdout).toMatch(/\nDifferent: 2 flags\n$/);
  }
});

test("without settings, contexts have standard fields, and the addresses and keys are options", async () => {
  const upstream = await startFeatureServer(RULES);
  const { origin } = await startOurs(upstream.url);
  const url = `${origin}/api/frontend`;
  const { code, stdout } = await runCommand({}, [
    "compare",
    `--url=${url}`,
    `--with=${origin}/proxy`,
    `--key=${KEY}`,
    "--count=20",
  ]);
  expect(stdout).toContain("The fields that rules read are not known: FLAGS_URL");
  expect(stdout).toContain("Random fields: userId, sessionId, remoteAddress\n");
  expect({ code, end: stdout.slice(-15) }).toEqual({ code: 0, end: "No differences\n" });
});

test("without --url, the address of a proxy with TLS follows from its settings", async () => {
  const upstream = await startFeatureServer(RULES);
  const { origin } = await startOurs(upstream.url);
  const authority = new Authority();
  const identity = authority.issue("ours");
  const { cert, key, ca } = writeFiles({ ...identity, ca: authority.cert });
  const [port, tlsPort] = [await findFreePort(), await findFreePort()];
  const files = { FLAGS_TLS_CERT_FILE: cert, FLAGS_TLS_KEY_FILE: key };
  const redirecting = { FLAGS_TLS_PORT: String(tlsPort), FLAGS_TLS_REDIRECT: "true" };
  for (const [tls, expectedPort] of [
    [files, port],
    [{ ...files, ...redirecting }, tlsPort],
  ] as const) {
    const settings = {
      FLAGS_URL: upstream.url,
      FLAGS_API_TOKEN: "default:development.an-upstream-secret",
      FLAGS_PROXY_CLIENT_KEYS: KEY,
      FLAGS_METRICS_INTERVAL: "0",
      PORT: String(port),
      ...tls,
    };
    const command = startCommand(settings);
    // oxlint-disable-next-line no-await-in-loop
    await command.listening();
    // oxlint-disable-next-line no-await-in-loop
    await eventually(async () => (await runCommand(settings, ["health"])).code).toBe(0);
    const args = ["compare", `--with=${origin}/proxy`, "--count=20"];
    // oxlint-disable-next-line no-await-in-loop
    const { code, stdout, stderr } = await runCommand(
      { ...settings, NODE_EXTRA_CA_CERTS: ca },
      args,
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain(`  A  https://127.0.0.1:${expectedPort}/proxy\n`);

    // oxlint-disable-next-line no-await-in-loop
    const untrusted = await runCommand(settings, args);
    expect(untrusted.code).toBe(2);
    expect(untrusted.stderr).toContain("NODE_EXTRA_CA_CERTS");
    command.signal("SIGTERM");
    // oxlint-disable-next-line no-await-in-loop
    await command.finished();
  }
});

test.each([
  [[], "--with is required"],
  [["--with", "http://127.0.0.1:2"], "--key-file is required"],
  [["--with", "http://127.0.0.1:2", "--key", KEY], "--with must be a URL that starts with"],
  [["--with", "ftp://127.0.0.1/proxy", "--key", KEY], "--with must be a URL that starts with"],
  [["--with", "http://127.0.0.1:3/proxy/all", "--key", KEY], "For all flags, add --all"],
  [["--with", "http://127.0.0.1:3/proxy", "--key", KEY, "--count", "many"], "--count must be"],
  [["--with", "http://127.0.0.1:3/proxy", "--key", KEY, "--count", "0"], "no contexts to compare"],
  [
    ["--with", "http://127.0.0.1:3/proxy", "--key", KEY, "--contexts", "/none"],
    'cannot read the file "/none": there is no such file',
  ],
  [
    ["--with", "http://127.0.0.1:3/proxy", "--key", KEY],
    "Cannot reach http://127.0.0.1:2/proxy: nothing is listening there",
  ],
  [
    ["--with", "http://localhost:2/proxy/", "--key", KEY],
    "--with and --url are the same proxy, http://127.0.0.1:2/proxy: set PORT or --url for this one",
  ],
] as const)(
  "proxies that cannot be compared are explained, with exit code 2: %j",
  async (args, problem) => {
    const { code, stdout, stderr } = await runCommand({ PORT: "2" }, ["compare", ...args]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(problem);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  },
);

test.each([
  { FLAGS_PROXY_CLIENT_KEYS: `${KEY},another-key` },
  { UPSTREAM_URL: "http://127.0.0.1:1", FRONTEND_TOKENS: `${KEY},another-key` },
])("the first client key is enough without the other settings: %o", async (settings) => {
  const { url } = await startFeatureServer(RULES);
  const { origin } = await startOurs(url);
  const addresses = ["--url", `${origin}/proxy`, "--with", `${origin}/api/frontend`];
  const { code, stderr } = await runCommand(settings, ["compare", ...addresses, "--count=5"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
});

test("the rules are read without client keys in the settings", async () => {
  const { url } = await startFeatureServer(RULES);
  const { origin } = await startOurs(url);
  const settings = { FLAGS_URL: url, FLAGS_API_TOKEN: "default:development.an-upstream-secret" };
  const addresses = ["--url", `${origin}/`, "--with", `${origin}/api/frontend`];
  const args = ["compare", ...addresses, "--key", KEY, "--count=5"];
  expect((await runCommand(settings, args)).stdout).toMatch(/Random fields: .*\bplan\b/);
});

test("the settings of this proxy can be arguments of Edge", async () => {
  const { url } = await startFeatureServer(RULES);
  const { origin } = await startOurs(url);
  const address = url.replace(/\/api$/, "");
  const line = `compare --with ${origin}/api/frontend --key ${KEY} --count=5 edge --upstream-url ${address} -t default:development.a-secret --port ${new URL(origin).port}`;
  const { code, stdout, stderr } = await runCommand({ PORT: "" }, line.split(" "));
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain(`  A  ${origin}/proxy\n`);
  expect(stdout).toMatch(/Random fields: .*\bplan\b/);
});

test("a file with a line that is not a context and a wrong key are explained", async () => {
  const upstream = await startFeatureServer(RULES);
  const { origin, compare } = await startOurs(upstream.url);
  const pathOf = makeFiles({ contexts: '{"userId":"7"}\n[1]\n' });
  const invalid = await compare(
    "--with",
    `${origin}/api/frontend`,
    "--contexts",
    pathOf("contexts"),
  );
  expect(invalid.stderr).toMatch(/^--contexts: line 2 of .* is not a context as a JSON object/);
  const wrong = await compare("--with", `${origin}/proxy`, "--with-key", "another-key");
  expect(wrong.code).toBe(2);
  expect(wrong.stderr).toMatch(
    /\/proxy responded with 401: .*\. Set its key with --with-key-file\n$/,
  );
  // As Edge does.
  const edge = createServer((_request, response) => response.writeHead(403).end());
  edge.listen(0, "127.0.0.1");
  await once(edge, "listening");
  onTestFinished(() => void edge.close());
  const { port } = edge.address() as AddressInfo;
  const forbidden = await compare("--with", `http://127.0.0.1:${port}/api/frontend`);
  expect(forbidden.stderr).toMatch(
    /\/frontend responded with 403\. Set its key with --with-key-file\n$/,
  );
  const closed = createServer((_request, response) =>
    response.writeHead(403).end('{"error":"Requests from this address are not allowed"}'),
  );
  closed.listen(0, "127.0.0.1");
  await once(closed, "listening");
  onTestFinished(() => void closed.close());
  const { port: closedPort } = closed.address() as AddressInfo;
  const refused = await compare("--with", `http://127.0.0.1:${closedPort}/proxy`);
  expect(refused.stderr).toMatch(/responded with 403: .*are not allowed"}\n$/);
  const keys = makeFiles({ ours: "another-key\n", theirs: `${KEY}\n` });
  const files = ["--key-file", keys("ours"), "--with-key-file", keys("theirs")];
  const own = await compare("--with", `${origin}/proxy`, ...files);
  expect(own.stderr).toMatch(/\/proxy responded with 401: .*\. Set its key with --key-file\n$/);
});
