// What keys of an access file allow, over real sockets.

import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { readEvents } from "../../server-kit/test/_event-reader.ts";
import { createDirectory, startWithAccessFile } from "./_access-file.ts";
import { namesOf, proxyConfig } from "./_proxy.ts";
import { namesIn } from "./_stream-events.ts";

const production = { environment: "production" };
const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
const namesInText = (text: string): readonly string[] =>
  [...text.matchAll(/(?:web|app|only)[.\w-]*/g)].map(([name]) => name);

describe("keys", () => {
  test("a key can be given as a string, as a file, and as its SHA-256", async () => {
    const directory = await createDirectory();
    await writeFile(join(directory, "key"), "key-in-a-file\n");
    const { get } = await startWithAccessFile({
      keys: [
        { name: "text", key: "key-as-text", ...production },
        { name: "file", keyFile: join(directory, "key"), ...production },
        { name: "digest", keySha256: sha256("key-as-digest").toUpperCase(), ...production },
      ],
    });
    for (const key of ["key-as-text", "key-in-a-file", "key-as-digest"]) {
      // oxlint-disable-next-line no-await-in-loop
      expect((await get("/proxy", key)).status).toBe(200);
    }
    for (const key of [
      "",
      "key-as-texT",
      sha256("key-as-digest"),
      "key-in-a-file\n".trimEnd() + "x",
    ]) {
      // oxlint-disable-next-line no-await-in-loop
      expect((await get("/proxy", key)).status).toBe(401);
    }
  });

  test("a key never gets the flags of another environment", async () => {
    const { get } = await startWithAccessFile({
      keys: [
        { name: "p", key: "key-p", environment: "production" },
        { name: "t", key: "key-t", environment: "test" },
        { name: "named", key: "*:test.key-n" },
      ],
    });
    expect(await namesOf(await get("/proxy", "key-p"))).toEqual(["web.a", "app.a"]);
    expect(await namesOf(await get("/proxy", "key-t"))).toEqual(["only-in-test"]);
    expect(await namesOf(await get("/proxy", "*:test.key-n"))).toEqual(["only-in-test"]);
    expect((await get("/proxy", "*:production.key-n")).status).toBe(401);
  });

  test("a key in a setting and one in the file work together", async () => {
    const { get } = await startWithAccessFile({
      keys: [{ name: "file", key: "in-file", ...production, projects: ["web"] }],
      config: { clientKeys: ["*:production.in-setting"] },
    });
    expect(await namesOf(await get("/proxy", "*:production.in-setting"))).toContain("app.a");
    expect(await namesOf(await get("/proxy", "in-file"))).not.toContain("app.a");
  });

  test("an expired key is rejected, and its streams end", async () => {
    vi.useFakeTimers({ toFake: ["Date", "setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const expiresAtMs = Date.now() + 60_000;
    const expiresAt = new Date(expiresAtMs).toISOString();
    const { get, url } = await startWithAccessFile({
      keys: [
        { name: "past", key: "past", expiresAt: "2020-01-01T00:00:00Z", ...production },
        { name: "soon", key: "soon", expiresAt, ...production },
      ],
    });
    expect((await get("/proxy", "past")).status).toBe(401);
    expect((await get("/proxy", "soon")).status).toBe(200);
    const events = await readEvents(`${url}/proxy/stream`, {
      method: "POST",
      headers: {
        authorization: "soon",
        "content-type": "application/json",
        accept: "text/event-stream",
      },
      body: JSON.stringify({ context: {} }),
    });
    await events.next();
    let hasEnded = false;
    void events.ended.then(() => (hasEnded = true));
    vi.advanceTimersByTime(expiresAtMs - 1 - Date.now());
    expect((await get("/proxy", "soon")).status).toBe(200);
    expect(hasEnded).toBe(false);
    vi.advanceTimersByTime(1000);
    expect((await get("/proxy", "soon")).status).toBe(401);
    await events.ended;
  });
});

describe("restrictions", () => {
  const keys = [
    { name: "web", key: "web", ...production, projects: ["web"], allFlags: true },
    { name: "app", key: "app", ...production, namePrefix: "app.", allFlags: true },
    { name: "none", key: "none", ...production, projects: ["other"], allFlags: true },
    { name: "server", key: "server-web", kind: "server", ...production, projects: ["web"] },
  ];
  const cases = [
    ["web", "web."],
    ["app", "app."],
    ["none", "-"],
  ] as const;

  test.each(cases)("no endpoint shows other flags: %s", async (key, prefix) => {
    const { get, post, url } = await startWithAccessFile({ keys });
    const context = { userId: "1" };
    const toggles = ["web.a", "app.a", "unknown"];
    const responses = await Promise.all([
      get("/proxy?userId=1", key),
      get("/proxy?userId=1", key),
      get("/proxy/all", key),
      post("/proxy", key, { context }),
      post("/proxy/all", key, { context }),
      get("/api/frontend?userId=1", key),
      get("/api/frontend/all?userId=1", key),
      post("/api/proxy", key, { context }),
      post("/ofrep/v1/evaluate/flags", key, { context }),
    ]);
    for (const response of responses) {
      expect(response.status).toBe(200);
      // oxlint-disable-next-line no-await-in-loop
      const names = namesInText(await response.text());
      expect(names.filter((name) => !name.startsWith(prefix))).toEqual([]);
      expect(names.length > 0).toBe(key !== "none");
    }
    const named = await namesAndStates(await post("/proxy", key, { context, toggles }));
    expect(named).toEqual({
      "web.a": prefix === "web.",
      "app.a": prefix === "app.",
      unknown: false,
    });
    for (const name of ["web.a", "app.a"]) {
      const status = name.startsWith(prefix) ? 200 : 404;
      // oxlint-disable-next-line no-await-in-loop
      expect((await get(`/api/frontend/features/${name}`, key)).status).toBe(status);
      // oxlint-disable-next-line no-await-in-loop
      expect((await post(`/ofrep/v1/evaluate/flags/${name}`, key, {})).status).toBe(status);
    }
    const events = await readEvents(`${url}/proxy/stream`, {
      method: "POST",
      headers: {
        authorization: key,
        "content-type": "application/json",
        accept: "text/event-stream",
      },
      body: JSON.stringify({ context, all: true }),
    });
    expect(namesIn(await events.next()).filter((name) => !name.startsWith(prefix))).toEqual([]);
  });

  async function namesAndStates(response: Response): Promise<object> {
    const { toggles } = (await response.json()) as {
      toggles: { name: string; enabled: boolean }[];
    };
    return Object.fromEntries(toggles.map(({ name, enabled }) => [name, enabled]));
  }

  test("a restricted server key gets only the definitions of its projects and their segments", async () => {
    const strategy = (segment: number) => ({ name: "default", segments: [segment] });
    const document = {
      features: [
        { name: "web.a", enabled: true, project: "web", strategies: [strategy(1)] },
        { name: "app.a", enabled: true, project: "app", strategies: [strategy(2)] },
        { name: "no-project", enabled: true, strategies: [] },
      ],
      segments: [
        { id: 1, constraints: [{ contextName: "userId", operator: "IN", values: ["web-user"] }] },
        { id: 2, constraints: [{ contextName: "userId", operator: "IN", values: ["app-user"] }] },
      ],
    };
    const { get, production: source } = await startWithAccessFile({ keys, document });
    const modern = { "unleash-client-spec": "5.0.0" };
    for (const path of [
      "/api/client/features",
      "/api/client/features?project=app&project=web",
      "/proxy/client/features",
      "/api/client/delta",
      "/internal-backstage/features",
    ]) {
      // oxlint-disable-next-line no-await-in-loop
      const response = await get(path, "server-web", modern);
      expect(response.headers.has("x-flags-age-seconds"), path).toBe(true);
      // oxlint-disable-next-line no-await-in-loop
      const text = await response.text();
      expect(text, path).toContain("web.a");
      expect(text, path).toContain("web-user");
      expect(text, path).not.toMatch(/app\.a|app-user|no-project/);
    }
    expect((await get("/api/client/features/app.a", "server-web", modern)).status).toBe(404);
    expect((await get("/proxy", "server-web")).status).toBe(401);
    expect((await get("/api/client/features", "web")).status).toBe(401);

    const first = await get("/api/client/delta", "server-web");
    const since = first.headers.get("etag") ?? "";
    source.replace({ ...document, features: document.features.toSpliced(1, 1) });
    const unchanged = await get("/api/client/delta", "server-web", { "if-none-match": since });
    expect(unchanged.status).toBe(304);
  });

  test("a stream follows only the flags of its key", async () => {
    const { url, production: source } = await startWithAccessFile({ keys });
    const open = (key: string) =>
      readEvents(`${url}/proxy/stream`, {
        method: "POST",
        headers: {
          authorization: key,
          "content-type": "application/json",
          accept: "text/event-stream",
        },
        body: JSON.stringify({ context: {} }),
      });
    const [web, app] = await Promise.all([open("web"), open("app")]);
    expect(namesIn(await web.next())).toEqual(["web.a"]);
    expect(namesIn(await app.next())).toEqual(["app.a"]);
    const feature = (name: string, project: string) => ({
      name,
      project,
      enabled: true,
      strategies: [{ name: "default" }],
    });
    source.replace({ features: [feature("web.new", "web"), feature("app.a", "app")] });
    expect(namesIn(await web.next())).toEqual(["web.new"]);
    source.replace({ features: [feature("web.new", "web"), feature("app.new", "app")] });
    expect(namesIn(await app.next())).toEqual(["app.new"]);
  });

  test("usage of flags that the key cannot see is dropped, whether they exist or not", async () => {
    const prefix = { name: "prefix", key: "prefix", ...production, namePrefix: "app." };
    const both = { ...prefix, name: "both", key: "both", projects: ["app"] };
    const {
      get,
      post,
      production: source,
    } = await startWithAccessFile({
      keys: [...keys, prefix, both],
    });
    const counts = { yes: 1, no: 0 };
    const report = async (key: string, toggles: object, path = "/proxy/client/metrics") => {
      const response = await post(path, key, { appName: "shop", bucket: { toggles } });
      return [response.status, await response.text()];
    };
    const accepted = async (key: string): Promise<readonly string[]> => {
      source.usage.length = 0;
      const names = ["web.a", "app.a", "app.off", "app.new", "unknown", "__proto__"];
      const toggles = JSON.parse(
        `{${names.map((name) => `"${name}":${JSON.stringify(counts)}`).join()}}`,
      ) as object;
      expect(await report(key, toggles)).toEqual([200, "OK"]);
      return source.usage.flatMap(({ features }) => Object.keys(features));
    };
    expect(await accepted("web")).toEqual(["web.a"]);
    expect(await accepted("prefix")).toEqual(["app.a", "app.off", "app.new"]);
    expect(await accepted("both")).toEqual(["app.a", "app.off"]);
    expect(await accepted("server-web")).toEqual(["web.a"]);
    // Nobody can find out whether a flag exists.
    expect(await report("web", { "app.a": counts })).toEqual(
      await report("web", { "does-not-exist": counts }),
    );
    const metrics = await (await get("/proxy/internal-backstage/prometheus", "")).text();
    expect(metrics).toContain(
      `flags_proxy_usage_dropped_total{kind="not_allowed"} ${5 + 3 + 4 + 5 + 2}`,
    );
  });

  test("allFlags allows or forbids lists with flags that are off, whatever the setting says", async () => {
    const allFlagsKeys = [
      { name: "yes", key: "yes", ...production, allFlags: true },
      { name: "no", key: "no", ...production, allFlags: false },
      { name: "default", key: "default", ...production },
    ];
    const statuses = async (enableAllEndpoint: boolean) => {
      const { get, post } = await startWithAccessFile({
        keys: allFlagsKeys,
        config: { enableAllEndpoint },
      });
      const list = [];
      for (const { key } of allFlagsKeys) {
        // oxlint-disable-next-line no-await-in-loop
        const ofrep = await (await post("/ofrep/v1/evaluate/flags", key, {})).text();
        // oxlint-disable-next-line no-await-in-loop
        const stream = await post("/proxy/stream", key, { context: {}, all: true });
        // oxlint-disable-next-line no-await-in-loop
        list.push([
          (await get("/proxy/all", key)).status,
          stream.status,
          ofrep.includes("app.off"),
        ]);
      }
      return list;
    };
    expect(await statuses(false)).toEqual([
      [200, 201, true],
      [501, 501, false],
      [501, 501, false],
    ]);
    expect(await statuses(true)).toEqual([
      [200, 201, true],
      [403, 403, false],
      [200, 201, true],
    ]);
  });
});

describe("rules of requests", () => {
  test("origins: other origins get a 403, and responses vary on the origin", async () => {
    const { get, post, url } = await startWithAccessFile({
      keys: [
        {
          name: "web",
          key: "web",
          ...production,
          origins: ["https://shop.test", "https://*.example.test:8443"],
        },
      ],
    });
    const status = async (origin: string) => (await get("/proxy", "web", { origin })).status;
    expect(await status("https://shop.test")).toBe(200);
    expect(await status("https://a.b.example.test:8443")).toBe(200);
    for (const origin of [
      "http://shop.test",
      "https://shop.test:444",
      "https://evil-shop.test",
      "https://shop.test.evil.test",
      "https://example.test:8443",
      "https://a.example.test",
      "https://evil.test/.example.test:8443",
      "https://evil.test#.example.test:8443",
      "null",
    ]) {
      // oxlint-disable-next-line no-await-in-loop
      expect(await status(origin), origin).toBe(403);
      // oxlint-disable-next-line no-await-in-loop
      const ofrep = await post("/ofrep/v1/evaluate/flags", "web", {}, { origin });
      expect(ofrep.status).toBe(403);
    }
    const mobile = await get("/proxy", "web");
    expect(mobile.status).toBe(200);
    expect(mobile.headers.get("vary")?.toLowerCase()).toContain("origin");
    const { url: stream } = (await (
      await post("/proxy/stream", "web", { context: {} })
    ).json()) as {
      url: string;
    };
    expect((await fetch(stream, { headers: { origin: "https://evil.test" } })).status).toBe(403);
    expect(new URL(stream).origin).toBe(url);
  });

  test("origins: only the origin of the request can read the response", async () => {
    const keys = [
      { name: "web", key: "web", ...production, origins: ["https://*.shop.test"] },
      { name: "any", key: "any", ...production },
    ];
    const allowed = (response: Response) => response.headers.get("access-control-allow-origin");
    const shop = { origin: "https://a.shop.test" };
    const { get, post } = await startWithAccessFile({ keys });
    const stream = await post("/proxy/stream", "web", { context: {} }, shop);
    const { url } = (await stream.json()) as { url: string };
    const responses = await Promise.all([
      get("/proxy", "web", shop),
      get("/proxy/", "web", shop),
      post("/proxy", "web", { context: {} }, shop),
      get("/api/frontend/features/web.a", "web", shop),
      post("/ofrep/v1/evaluate/flags", "web", {}, shop),
      post("/proxy/client/metrics", "web", { appName: "a" }, shop),
      fetch(url, { headers: shop }),
    ]);
    expect(responses.map(allowed)).toEqual(responses.map(() => shop.origin));
    expect(responses.slice(0, 5).map(({ headers }) => headers.get("vary"))).toEqual(
      responses.slice(0, 5).map(() => expect.stringMatching(/\borigin\b/i)),
    );
    await Promise.all(responses.map(async (response) => response.body?.cancel()));
    for (const path of ["/proxy", "/proxy/"]) {
      // oxlint-disable-next-line no-await-in-loop
      expect(allowed(await get(path, "web"))).toBeNull();
      // oxlint-disable-next-line no-await-in-loop
      expect(allowed(await get(path, "any", { origin: "https://other.test" }))).toBe("*");
      // A page must be able to read why it is rejected.
      // oxlint-disable-next-line no-await-in-loop
      const rejected = await get(path, "web", { origin: "https://other.test" });
      expect([rejected.status, allowed(rejected)]).toEqual([403, "*"]);
    }
    // Narrower settings stay as they are.
    const cors = { ...proxyConfig().cors, origin: ["https://other.test"] };
    const narrow = await startWithAccessFile({ keys, config: { cors } });
    expect(allowed(await narrow.get("/proxy", "web", shop))).toBeNull();
    expect(allowed(await narrow.get("/proxy/", "web", shop))).toBeNull();
  });

  test("contextFields: other fields of clients are ignored", async () => {
    const { get, post } = await startWithAccessFile({
      keys: [
        { name: "none", key: "none", ...production, contextFields: ["plan"] },
        { name: "user", key: "user", ...production, contextFields: ["userId"] },
      ],
    });
    for (let i = 0; i < 5; i++) {
      // oxlint-disable-next-line no-await-in-loop
      const [ignored, kept, posted, stream] = await Promise.all([
        get("/proxy?userId=1", "none"),
        get("/proxy?userId=1", "user"),
        post("/proxy", "none", { context: { userId: "1", properties: { userId: "1" } } }),
        post("/ofrep/v1/evaluate/flags", "none", { context: { targetingKey: "1", userId: "1" } }),
      ]);
      // oxlint-disable-next-line no-await-in-loop
      expect(await namesOf(ignored)).not.toContain("web.b");
      // oxlint-disable-next-line no-await-in-loop
      expect(await namesOf(kept)).toContain("web.b");
      // oxlint-disable-next-line no-await-in-loop
      expect(await namesOf(posted)).not.toContain("web.b");
      // oxlint-disable-next-line no-await-in-loop
      expect(await stream.text()).not.toContain("web.b");
    }
  });

  test("rate: a key that is used too often gets a 429 with Retry-After, other keys do not", async () => {
    const { get, post } = await startWithAccessFile({
      keys: [
        { name: "slow", key: "slow", ...production, rate: { perSecond: 0.1, burst: 3 } },
        { name: "fast", key: "fast", ...production },
      ],
    });
    const responses = [];
    for (let i = 0; i < 5; i++) {
      // oxlint-disable-next-line no-await-in-loop
      responses.push(
        i === 1 ? await post("/proxy", "slow", { context: 1 }) : await get("/proxy", "slow"),
      );
    }
    expect(responses.map(({ status }) => status)).toEqual([200, 400, 200, 429, 429]);
    expect(Number(responses[3]?.headers.get("retry-after"))).toBeGreaterThan(5);
    expect((await get("/proxy", "fast")).status).toBe(200);
  });

  test("metrics count the uses of each key, and show when keys expire", async () => {
    const startedAtMs = Date.now();
    const { get } = await startWithAccessFile({
      keys: [
        { name: "web", key: "secret-of-web", ...production, expiresAt: "2099-01-01T00:00:00Z" },
        { name: "unused", key: "secret-of-unused", ...production },
      ],
    });
    await get("/proxy", "secret-of-web");
    await get("/proxy", "secret-of-web");
    await get("/proxy/all", "secret-of-web");
    await get("/proxy", "wrong");
    const metrics = await (await get("/proxy/internal-backstage/prometheus", "")).text();
    expect(metrics).toContain('flags_proxy_key_requests_total{key="web"} 3');
    expect(metrics).toContain('flags_proxy_key_requests_total{key="unused"} 0');
    expect(metrics).toContain('flags_proxy_key_expiry_timestamp_seconds{key="web"} 4070908800');
    expect(metrics).not.toContain('expiry_timestamp_seconds{key="unused"}');
    expect(metrics).toContain("flags_proxy_access_file_valid 1");
    const [, loadedAt] =
      /^flags_proxy_access_file_loaded_timestamp_seconds (\S+)$/m.exec(metrics) ?? [];
    expect(Number(loadedAt) * 1000).toBeGreaterThanOrEqual(startedAtMs);
    expect(metrics).not.toContain("secret-of");
  });
});
