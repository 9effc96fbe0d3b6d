// Flags from files, over real files, sockets and processes.

import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { InMemStorageProvider, Unleash } from "unleash-client";
import { InMemoryStorageProvider, UnleashClient } from "unleash-proxy-client";
import { describe, expect, onTestFinished, test } from "vitest";
import { fuzzRuns, sized } from "../../../scripts/test-size.ts";
import { makeDatabase } from "../../admin/test/_command.ts";
import { AdminService, CLIENT_TOKEN } from "../../sdk/test/_admin.ts";
import { readEvents } from "../../server-kit/test/_event-reader.ts";
import type { ProxyOptions } from "../src/config/options.ts";
import { start } from "../src/start/start.ts";
import { eventually, runCommand, startCommand, untilReady } from "./_command.ts";
import { flag, SAMPLE, withConstraint } from "./_documents.ts";
import { DOCUMENT } from "./_flag-requests.ts";
import { startFeatureServer } from "./_feature-server.ts";
import { MemoryLogger, namesOf, togglesOf } from "./_proxy.ts";
import { destroyUnleash } from "./_unleash-client.ts";

const KEY = "a-client-key";
const TOKEN = "a-long-server-token";

async function createDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "flags-files-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  return directory;
}

/** Replaces a file at once. */
async function replace(path: string, content: string | object): Promise<void> {
  const text = typeof content === "string" ? content : JSON.stringify(content);
  await writeFile(`${path}.new`, text);
  await rename(`${path}.new`, path);
}

const documentOf = (...names: readonly string[]) => ({
  version: 2,
  features: names.map((name) => flag(name)),
});

async function startProxy(flagsUrl: string, options: ProxyOptions = {}) {
  const logger = new MemoryLogger();
  const proxy = await start({
    flagsUrl,
    clientKeys: [KEY],
    expServerSideSdkConfig: { tokens: [TOKEN] },
    enableAllEndpoint: true,
    host: "127.0.0.1",
    port: 0,
    logger,
    ...options,
  });
  onTestFinished(() => proxy.close());
  const get = (path: string, authorization = KEY): Promise<Response> =>
    fetch(proxy.url + path, { headers: { authorization } });
  await eventually(async () => (await get("/ready")).status).toBe(200);
  const names = async (path = "/proxy") => (await namesOf(await get(path))).toSorted();
  const logged = (level: string): readonly string[] =>
    logger.lines
      .filter((line) => line.level === level)
      .map(({ parts: [first] }) => (first instanceof Error ? first.message : String(first)));
  return { ...proxy, get, names, logged };
}

/** Starts a proxy with a file. */
async function startWithFile(content: string | object, options?: ProxyOptions) {
  const path = join(await createDirectory(), "flags.json");
  await replace(path, content);
  return { path, ...(await startProxy(`file:${path}`, options)) };
}

test("a file and an upstream with the same document lead to the same responses", async () => {
  const upstream = await startFeatureServer(DOCUMENT);
  const [ofFile, ofUpstream] = await Promise.all([
    startWithFile(DOCUMENT),
    startProxy(upstream.url, { flagsApiToken: "upstream-token", metricsInterval: 0 }),
  ]);
  const read = async ({ get }: typeof ofUpstream, path: string, key?: string) => {
    const response = await get(path, key);
    return [response.status, response.headers.get("etag"), await response.text()];
  };
  const contexts = fc.record({
    path: fc.constantFrom("/proxy", "/proxy/all", "/api/frontend", "/api/frontend/all"),
    userId: fc.string({ maxLength: 5 }),
    sessionId: fc.string({ minLength: 1, maxLength: 5 }),
    plan: fc.constantFrom("pro", "free"),
  });
  await fc.assert(
    fc.asyncProperty(contexts, async ({ path, ...context }) => {
      const { userId, sessionId, plan } = context;
      const query = new URLSearchParams({ userId, sessionId, "properties[plan]": plan });
      const target = `${path}?${query.toString()}`;
      expect(await read(ofFile, target)).toEqual(await read(ofUpstream, target));
    }),
    { numRuns: fuzzRuns(20, 60) },
  );
  for (const path of ["/api/client/features", "/proxy/client/features", "/api/client/delta"]) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const [status, , body] = await read(ofFile, path, TOKEN);
    expect(status).toBe(200);
    // oxlint-disable-next-line no-await-in-loop
    if (!path.endsWith("delta")) expect(body).toBe((await read(ofUpstream, path, TOKEN))[2]);
  }
});

test("an export of flags-admin leads to the same results as flags-admin", async () => {
  const admin = new AdminService(await makeDatabase());
  onTestFinished(() => admin.dispose());
  await admin.start();
  await admin.createFlag("everybody");
  await admin.createFlag("turned-off");
  await admin.switchFlag("turned-off", false);
  await admin.admin("POST", "/projects/default/features", { name: "by-segment" });
  await admin.addSegment("by-segment");
  await admin.switchFlag("by-segment", true);
  const path = join(await createDirectory(), "export.json");
  await replace(path, (await admin.read("/projects/default/export")) as object);
  const [ofFile, ofAdmin] = await Promise.all([
    startProxy(`file:${path}?environment=development`),
    startProxy(admin.url, { flagsApiToken: CLIENT_TOKEN, metricsInterval: 0 }),
  ]);
  for (const plan of ["gold", "silver"]) {
    const target = `/proxy/all?userId=7&properties[plan]=${plan}`;
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const [file, upstream] = await Promise.all(
      [ofFile, ofAdmin].map(async ({ get }) => togglesOf(await get(target))),
    );
    const byName = (toggles: typeof file) =>
      toggles?.toSorted((a, b) => a.name.localeCompare(b.name));
    expect(byName(file)).toEqual(byName(upstream));
    expect(file?.filter(({ enabled }) => enabled)).toHaveLength(plan === "gold" ? 2 : 1);
  }
});

describe("a file", () => {
  test("a file that is replaced, edited in place, or removed and created again changes the flags", async () => {
    const { path, names, get, logged } = await startWithFile(documentOf("a"));
    expect(await names()).toEqual(["a"]);
    await replace(path, documentOf("b"));
    await eventually(names).toEqual(["b"]);
    await writeFile(path, JSON.stringify(documentOf("c")));
    await eventually(names).toEqual(["c"]);
    await rm(path);
    await eventually(() => logged("error")).toEqual([
      `Cannot use ${path}; the previous flags stay in use: there is no such file`,
    ]);
    expect(await names()).toEqual(["c"]);
    expect((await get("/ready")).status).toBe(200);
    expect(logged("warn")).toEqual([]);
    await replace(path, documentOf("d"));
    await eventually(names).toEqual(["d"]);
    await eventually(() => logged("warn")).toEqual([`${path} can be used again: read 1 flag`]);
  });

  test("a file that becomes invalid keeps the last flags and their age, and the log names the position", async () => {
    const { path, names, get, logged } = await startWithFile(documentOf("a"), {
      maxStaleness: 200,
      ageHeader: true,
    });
    const fresh = await get("/proxy");
    expect(fresh.headers.get("x-flags-age-seconds")).toBe("0");
    await replace(path, '{\n  "features": [\n    { "name": "b" },\n  ]\n}');
    await eventually(() => logged("error")).toEqual([
      `Cannot use ${path}; the previous flags stay in use: line 4, column 3: not valid JSON, unexpected "]"`,
    ]);
    await replace(path, { features: [{ name: "a" }, { name: 5 }] });
    await eventually(() => logged("error").at(-1)).toContain(
      `line 1, column 35: features[1].name must be a string: found a number`,
    );
    expect(await names()).toEqual(["a"]);
    await eventually(async () => (await get("/ready")).status).toBe(503);
    const status = (await (await get("/status", TOKEN)).json()) as { sources: object[] };
    expect(status.sources).toMatchObject([
      {
        origin: "file",
        live: false,
        stale: true,
        lastError: { message: expect.stringContaining("features[1].name") as string },
      },
    ]);
    await replace(path, documentOf("a"));
    await eventually(async () => (await get("/ready")).status).toBe(200);
    expect(logged("error")).toHaveLength(2);
  });

  test("a file with a boolean that is written as off is not used, and the log names the position", async () => {
    const { path, names, logged } = await startWithFile(documentOf("a", "b"));
    expect(await names()).toEqual(["a", "b"]);
    await replace(path, '{"a": {"enabled": "off"},\n "b": {"enabled": true}}');
    await eventually(() => logged("error")).toContain(
      `Cannot use ${path}; the previous flags stay in use: line 1, column 19: enabled must be true or false, found "off"`,
    );
    expect(await names()).toEqual(["a", "b"]);
    const strategies = [{ name: "default", disabled: true }];
    await replace(path, { features: [flag("a", { strategies }), flag("c")] });
    await eventually(() => names()).toEqual(["c"]);
  });

  test("a file can be YAML, begin with a byte order mark, and be filtered by project and prefix", async () => {
    const path = join(await createDirectory(), "flags.yaml");
    const yaml = ["shop.a:", "  enabled: true", "  variant: blue", "other:", "  enabled: true"];
    await writeFile(path, `\uFEFF${yaml.join("\n")}`);
    const { get } = await startProxy(`file:${path}`, { namePrefix: "shop." });
    expect(await (await get("/proxy")).json()).toEqual({
      toggles: [
        {
          name: "shop.a",
          enabled: true,
          impressionData: false,
          variant: { name: "blue", enabled: true },
        },
      ],
    });
  });

  test("changes to a file are pushed to streams, and the usage of official clients is counted", async () => {
    const { path, url, get, logged } = await startWithFile(SAMPLE);
    const stream = await readEvents(`${url}/proxy/stream`, {
      method: "POST",
      headers: {
        authorization: KEY,
        "content-type": "application/json",
        accept: "text/event-stream",
      },
      body: JSON.stringify({ context: { userId: "7" } }),
    });
    expect(JSON.stringify(await stream.next())).toContain("for-user-7");
    const browser = new UnleashClient({
      url: `${url}/proxy`,
      clientKey: KEY,
      appName: "shop",
      context: { userId: "7" },
      refreshInterval: 0.05,
      metricsInterval: 0.05,
      metricsIntervalInitial: 0.05,
      storageProvider: new InMemoryStorageProvider(),
      fetch,
    });
    onTestFinished(() => browser.stop());
    await browser.start();
    expect(browser.isEnabled("for-user-7")).toBe(true);
    expect(browser.getVariant("with-variant").name).toBe("blue");
    const server = new Unleash({
      url: `${url}/api`,
      appName: "server",
      customHeaders: { Authorization: TOKEN },
      storageProvider: new InMemStorageProvider(),
      refreshInterval: 50,
      disableMetrics: true,
    });
    onTestFinished(() => destroyUnleash(server));
    await eventually(() => server.isEnabled("for-user-7", { userId: "7" })).toBe(true);
    await eventually(async () =>
      (await get("/proxy/internal-backstage/prometheus")).text(),
    ).toMatch(/^flags_proxy_usage_entries_total [1-9]/m);
    expect(logged("info").filter((line) => line.startsWith("Usage is only counted"))).toHaveLength(
      1,
    );

    await replace(path, documentOf("added"));
    await eventually(() => browser.isEnabled("added")).toBe(true);
    await eventually(() => server.isEnabled("added")).toBe(true);
    expect(JSON.stringify(await stream.next())).toContain("added");
  });
});

test("a ConfigMap that is replaced under load fails no request", async () => {
  const directory = await createDirectory();
  const publish = async (version: number): Promise<void> => {
    const data = `..data-${version}`;
    await mkdir(join(directory, data));
    const features = [flag("on"), flag(`version-${version}`)];
    await writeFile(join(directory, data, "production.json"), JSON.stringify({ features }));
    await symlink(data, join(directory, "..data_tmp"));
    await rename(join(directory, "..data_tmp"), join(directory, "..data"));
    if (version > 0) await rm(join(directory, `..data-${version - 1}`), { recursive: true });
  };
  await publish(0);
  await symlink(join("..data", "production.json"), join(directory, "production.json"));
  const key = "*:production.some-key";
  const { get, logged } = await startProxy(`file:${directory}`, {
    clientKeys: [key],
    expServerSideSdkConfig: {},
  });
  const state = { isDone: false };
  let [ok, failed] = [0, 0];
  const load = async (): Promise<void> => {
    while (!state.isDone) {
      // oxlint-disable-next-line no-await-in-loop
      const response = await get(`/proxy?userId=${ok % 50}`, key);
      // oxlint-disable-next-line no-await-in-loop
      const isComplete = response.status === 200 && (await response.text()).includes('"on"');
      if (isComplete) ok += 1;
      else failed += 1;
    }
  };
  const loads = Array.from({ length: sized(1, 2) }, load);
  const namesNow = async () => namesOf(await get("/proxy", key));
  for (let version = 1; version <= sized(3, 5); version += 1) {
    // oxlint-disable-next-line no-await-in-loop
    await publish(version);
    // oxlint-disable-next-line no-await-in-loop
    await eventually(namesNow).toContain(`version-${version}`);
  }
  state.isDone = true;
  await Promise.all(loads);
  expect(failed).toBe(0);
  expect(ok).toBeGreaterThan(0);
  expect(logged("error")).toEqual([]);
});

test("a key of the right environment is required for a file with a name", async () => {
  const path = join(await createDirectory(), "flags.json");
  await replace(path, documentOf("a"));
  const key = "web:production.some-key";
  const { get } = await startProxy(`file:${path}?environment=production`, { clientKeys: [key] });
  expect(await namesOf(await get("/proxy", key))).toEqual(["a"]);
  await expect(
    start({
      flagsUrl: `file:${path}?environment=qa`,
      clientKeys: [key],
      logger: new MemoryLogger(),
    }),
  ).rejects.toThrow(
    "is a key for the environment production, but FLAGS_URL (option flagsUrl) serves only qa: add a file for production, or remove the key",
  );
});

test("files exclude tags, and warn of settings of the connection to an upstream", async () => {
  const path = join(await createDirectory(), "flags.json");
  await replace(path, documentOf("a"));
  const flagsUrl = `file:${path}`;
  await expect(
    start({ flagsUrl, clientKeys: [KEY], tags: "a:b", logger: new MemoryLogger() }),
  ).rejects.toThrow("is not possible with files");
  const { logged } = await startProxy(flagsUrl, { flagsApiToken: "not-used-here" });
  expect(logged("warn").join()).toContain("has no effect with files");
});

describe("flags-proxy", () => {
  test("flags-proxy offline accepts the arguments of Edge", async () => {
    const path = join(await createDirectory(), "features 100%.json");
    await writeFile(path, '{"on": {"enabled": true, "variant": "blue"}}');
    const token = "*:development.frontend-secret";
    const command = startCommand(
      {},
      {
        args: `offline -f ${token} --client-tokens *:development.${TOKEN} --reload-interval 1 -b`
          .split(" ")
          .concat(path),
      },
    );
    const url = await command.listening();
    await untilReady(url);
    const headers = { authorization: token };
    expect(await namesOf(await fetch(`${url}/api/frontend/all`, { headers }))).toEqual(["on"]);
    const definitions = await fetch(`${url}/api/client/features`, {
      headers: { authorization: `*:development.${TOKEN}` },
    });
    expect(await definitions.json()).toMatchObject({ features: [{ name: "on" }] });
    expect((await runCommand({}, ["ready", "--url", url])).code).toBe(0);
    await replace(path, '{"added": {"enabled": true}}');
    await eventually(async () => namesOf(await fetch(`${url}/api/frontend`, { headers }))).toEqual([
      "added",
    ]);
    command.signal("SIGTERM");
    expect((await command.finished()).code).toBe(0);
  });

  test("a directory keeps its environments when workers are replaced", async () => {
    const directory = await createDirectory();
    await replace(join(directory, "production.json"), documentOf("p"));
    await replace(join(directory, "staging.json"), documentOf("s"));
    const keys = { p: "*:production.client-key-1", s: "*:staging.client-key-2" };
    const command = startCommand({
      FLAGS_URL: `file:${directory}`,
      FLAGS_PROXY_CLIENT_KEYS: Object.values(keys).join(),
      FLAGS_PROXY_WORKERS: "2",
      LOG_LEVEL: "info",
    });
    const url = await command.listening();
    await untilReady(url);
    const namesFor = async (authorization: string) => {
      const headers = { authorization, connection: "close" };
      return namesOf(await fetch(`${url}/proxy`, { headers }));
    };
    const both = async () => [await namesFor(keys.p), await namesFor(keys.s)];
    expect(await both()).toEqual([["p"], ["s"]]);

    // The first in the list now, and a removed file: sources must not move.
    await replace(join(directory, "alpha.json"), documentOf("a"));
    await rm(join(directory, "production.json"));
    await eventually(() => command.output.stderr + command.output.stdout).toMatch(
      /alpha\.json is new: restart the proxy/,
    );
    const workers = execFileSync("ps", ["-o", "pid=", "--ppid", String(command.pid)], {
      encoding: "utf8",
    });
    for (const pid of workers.trim().split(/\s+/)) process.kill(Number(pid), "SIGKILL");
    await eventually(() => both().catch(() => "down")).toEqual([["p"], ["s"]]);
    await replace(join(directory, "staging.json"), documentOf("s", "s2"));
    await eventually(both).toEqual([["p"], ["s", "s2"]]);
  });

  test("flags-proxy does not start with an unusable file, and check explains why", async () => {
    const path = join(await createDirectory(), "flags.json");
    const environment = { FLAGS_URL: `file:${path}`, FLAGS_PROXY_CLIENT_KEYS: KEY };
    const missing = await runCommand(environment);
    expect(missing).toMatchObject({ code: 1, stdout: "" });
    expect(missing.stderr).toContain(`FLAGS_URL: ${path}: there is no such file`);
    const offline = await runCommand({}, ["offline", "-b", path, "-t", KEY]);
    expect(offline.stderr).toContain(`BOOTSTRAP_FILE: ${path}: there is no such file`);
    await writeFile(path, '{\n "features": [{}]\n}');
    const invalid = await runCommand(environment, ["check"]);
    expect(invalid.code).toBe(1);
    expect(invalid.stdout).toContain(
      `${path}: line 2, column 15: features[0].name must be a string: found nothing`,
    );
    const strategies = [{ name: "not-loaded" }, withConstraint("plan", ["pro"])];
    await replace(path, { features: [flag("a", { strategies })], segments: [] });
    const { stdout, code } = await runCommand(environment, ["check"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/File, default\n +Path +\S+flags\.json\n +Flags +1, with 0 segments/);
    expect(stdout).toMatch(/flags\.json: Flag "a": Strategy "not-loaded" is unknown/);
    const IPs = "999.1.1.1, 10.0.0.0/99, 2001:db8::/32";
    const byAddress = [{ name: "remoteAddress", parameters: { IPs } }];
    await replace(path, { features: [flag("a", { strategies: byAddress })] });
    const { stdout: report } = await runCommand(environment, ["check"]);
    expect(report).toContain(
      'Flag "a": IPs contains "999.1.1.1", "10.0.0.0/99", which no address matches: an entry must be an IP address or range',
    );
    expect(report).toContain("1 warning");
  });
});
