import { expect, test } from "vitest";
import { flag, HALF_OF_SESSIONS, withConstraint } from "./_documents.ts";
import { errorOf, namesOf, startProxy, togglesOf, shareProxies } from "./_proxy.ts";

const startShared = shareProxies();

const ON_FOR_ALL = ["on", "impressions", "with-variant", "variant-named-disabled"];

test("GET /proxy: every toggle that is enabled for the context, as JSON in UTF-8", async () => {
  const { request } = await startShared();
  const response = await request("/proxy?userId=7");
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
  const toggles = await togglesOf(response);
  expect(toggles.map(({ name }) => name)).toEqual([
    "on",
    "impressions",
    "for-user-7",
    "with-variant",
    "variant-named-disabled",
  ]);
  expect(toggles.every(({ enabled }) => enabled)).toBe(true);
});

test("a toggle has only name, enabled, variant and impressionData", async () => {
  const { request } = await startShared();
  const [on, impressions] = await togglesOf(await request("/proxy"));
  expect(on).toEqual({
    name: "on",
    enabled: true,
    variant: { name: "disabled", enabled: false },
    impressionData: false,
  });
  expect(impressions?.impressionData).toBe(true);
});

test("variant: has a payload if one is defined, whose value is always a string", async () => {
  const { request } = await startShared();
  const toggles = await togglesOf(await request("/proxy"));
  expect(toggles.find(({ name }) => name === "with-variant")?.variant).toEqual({
    name: "blue",
    enabled: true,
    payload: { type: "json", value: '{"a":"é\\n"}' },
  });
});

test("variant: `enabled` distinguishes a variant called `disabled` from no variant", async () => {
  const { request } = await startShared();
  const toggles = await togglesOf(await request("/proxy"));
  expect(toggles.find(({ name }) => name === "variant-named-disabled")?.variant).toEqual({
    name: "disabled",
    enabled: true,
  });
});

test("POST /proxy without toggles: all toggles enabled for the context", async () => {
  const { post } = await startShared();
  const response = await post("/proxy", { context: { userId: "7" } });
  expect(response.status).toBe(200);
  expect(await namesOf(response)).toContain("for-user-7");
});

test("POST /proxy with toggles: every named toggle in the requested order, each as often as it is named", async () => {
  const { post } = await startShared();
  const response = await post("/proxy", {
    context: {},
    toggles: ["unknown", "on", "off", "for-user-7", "on", "constructor"],
  });
  const disabled = { name: "disabled", enabled: false };
  expect(await togglesOf(response)).toEqual([
    { name: "unknown", enabled: false, variant: disabled, impressionData: false },
    { name: "on", enabled: true, variant: disabled, impressionData: false },
    { name: "off", enabled: false, variant: disabled, impressionData: false },
    { name: "for-user-7", enabled: false, variant: disabled, impressionData: false },
    { name: "on", enabled: true, variant: disabled, impressionData: false },
    { name: "constructor", enabled: false, variant: disabled, impressionData: false },
  ]);
});

test("POST /proxy with toggles: 400 if names are repeated and the response exceeds 1 MiB", async () => {
  const payload = { type: "string", value: "x".repeat(500_000) };
  const large = ["a", "b", "c"].map((name) =>
    flag(name, { variants: [{ name: "v", weight: 1000, payload }] }),
  );
  const { post } = await startProxy({ document: { features: large } });
  const send = (toggles: readonly string[]) => post("/proxy", { context: {}, toggles });
  for (const toggles of [["a", "a"], ["a", "b", "c"], Array.from({ length: 9000 }, () => "u")]) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const response = await send(toggles);
    expect(response.status).toBe(200);
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    expect(await namesOf(response)).toEqual(toggles);
  }
  const rejected = await send(Array.from({ length: 10_000 }, () => "a"));
  expect(rejected.status).toBe(400);
  expect(await rejected.json()).toEqual({
    error:
      "Bad request: `toggles` repeats names in a list whose response exceeds 1 MiB: send each once",
    validation: [expect.anything()],
  });
  expect((await send(["a", "b", "c", "a"])).status).toBe(400);
});

test("POST /proxy with an empty list of toggles: an empty list", async () => {
  const { post } = await startShared();
  expect(await togglesOf(await post("/proxy", { context: {}, toggles: [] }))).toEqual([]);
});

test("GET and POST /proxy/all: enabled and disabled toggles, when enableAllEndpoint is true", async () => {
  const { request, post } = await startShared({ config: { enableAllEndpoint: true } });
  const responses = [
    await togglesOf(await request("/proxy/all?plan=gold")),
    await togglesOf(await post("/proxy/all", { context: { properties: { plan: "gold" } } })),
  ];
  for (const toggles of responses) {
    expect(toggles).toHaveLength(7);
    const states = Object.fromEntries(toggles.map(({ name, enabled }) => [name, enabled]));
    expect(states).toMatchObject({ on: true, off: false, "for-plan-gold": true });
    expect(states["for-user-7"]).toBe(false);
  }
});

test.each(["GET", "POST"])(
  "%s /proxy/all: 501 that names the option while enableAllEndpoint is false",
  async (method) => {
    const { request } = await startShared();
    const response = await request("/proxy/all", { method });
    expect(response.status).toBe(501);
    expect((await errorOf(response)).error).toMatch(/enableAllEndpoint.*ENABLE_ALL_ENDPOINT/);
  },
);

test("HEAD /proxy: the headers of GET, without a body", async () => {
  const { request } = await startShared();
  const get = await request("/proxy");
  const head = await request("/proxy", { method: "HEAD" });
  expect(head.status).toBe(200);
  expect(head.headers.get("etag")).toBe(get.headers.get("etag"));
  expect(await head.text()).toBe("");
});

test("GET /proxy: accepts a Content-Type without a body, as Android and iOS send it", async () => {
  const { request } = await startShared();
  const response = await request("/proxy", { headers: { "content-type": "application/json" } });
  expect(response.status).toBe(200);
});

test("paths: repeated and trailing slashes are ignored", async () => {
  const { request, post } = await startShared({ config: { basePath: "/base/path" } });
  expect((await request("/base/path/proxy/")).status).toBe(200);
  expect((await request("//base/path//proxy?userId=1")).status).toBe(200);
  const usage = { appName: "a", bucket: { toggles: {} } };
  expect((await post("/base/path/proxy//client/metrics", usage)).status).toBe(200);
});

test("proxyBasePath: every path is below it", async () => {
  const { request } = await startShared({
    config: { basePath: "/base/path", openApiEnabled: true },
  });
  for (const path of [
    "/proxy",
    "/proxy/health",
    "/proxy/internal-backstage/prometheus",
    "/docs/openapi.json",
  ]) {
    expect((await request(`/base/path${path}`)).status, path).toBe(200);
    expect((await request(path)).status, path).toBe(404);
  }
});

test("one evaluation: enabled and variant are consistent in requests without a session id", async () => {
  const variants = [{ name: "v", weight: 1000, stickiness: "sessionId" }];
  const strategies = [HALF_OF_SESSIONS];
  const { request, post } = await startShared({
    document: {
      features: [
        flag("child-a", { strategies, variants }),
        flag("child-b", { strategies, dependencies: [{ feature: "parent" }] }),
        flag("parent", { strategies }),
      ],
    },
  });
  const seen = new Set<number>();
  for (let round = 0; round < 60; round++) {
    const toggles = await togglesOf(
      round % 2 === 0
        ? await request("/proxy")
        : await post("/proxy", { context: {}, toggles: ["child-a", "child-b", "parent"] }),
    );
    const on = toggles.filter(({ enabled }) => enabled);
    // All flags roll out by the same id and group, so they are on or off together.
    expect([0, 3]).toContain(on.length);
    seen.add(on.length);
    for (const { name, enabled, variant } of toggles) {
      if (name === "child-a") expect(variant.enabled).toBe(enabled);
    }
  }
  expect([...seen].toSorted()).toEqual([0, 3]);
});

test("a custom strategy that throws: the flag is off, and the others are evaluated", async () => {
  const { DocumentSource } = await import("./_source.ts");
  const broken = {
    name: "broken",
    isEnabled() {
      throw new Error("no luck");
    },
  };
  const odd = {
    name: "odd",
    isEnabled: (_parameters: unknown, context: object) =>
      Number(Reflect.get(context, "userId")) % 2 === 1,
  };
  const strategies = (name: string) => [{ name, parameters: {}, constraints: [] }];
  const source = new DocumentSource(
    {
      features: [
        flag("a", { strategies: strategies("broken") }),
        flag("b", { strategies: strategies("odd") }),
        flag("c"),
      ],
    },
    [broken, odd],
  );
  const { request } = await startProxy({ source });
  expect(await namesOf(await request("/proxy?userId=1"))).toEqual(["b", "c"]);
  expect(await namesOf(await request("/proxy?userId=2"))).toEqual(["c"]);
});

test("a refresh: the next request gets the new flags", async () => {
  const { request, source } = await startProxy();
  expect(await namesOf(await request("/proxy"))).toEqual(ON_FOR_ALL);
  source.replace({ features: [flag("new", { strategies: [withConstraint("userId", ["1"])] })] });
  expect(await namesOf(await request("/proxy?userId=1"))).toEqual(["new"]);
});

test("flags and variants with unusual names and payloads are valid JSON", async () => {
  const name = 'quote " backslash \\ line\u2028 nul\u0000 lone \ud800 __proto__';
  const payload = { type: "string", value: '"\\\n' };
  const { post } = await startShared({
    document: {
      features: [
        flag(name, { variants: [{ name, weight: 1000, stickiness: "default", payload }] }),
        flag("__proto__"),
      ],
    },
  });
  const toggles = await togglesOf(await post("/proxy", { context: { userId: "1" } }));
  expect(toggles.map((toggle) => toggle.name)).toEqual([name, "__proto__"]);
  expect(toggles[0]?.variant).toEqual({ name, enabled: true, payload });
});
