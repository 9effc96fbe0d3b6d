import { expect, test } from "vitest";
import { SAMPLE, flag, withConstraint } from "./_documents.ts";
import { errorOf, namesOf, startProxy, startProxyOver, togglesOf, shareProxies } from "./_proxy.ts";
import { DocumentSource } from "./_source.ts";

const startShared = shareProxies();

const ALL = { enableAllEndpoint: true };
const NO_VARIANT = { name: "disabled", enabled: false };
const ON = { feature_enabled: true, featureEnabled: true };
const OFF = { feature_enabled: false, featureEnabled: false };

test("GET /api/frontend: the toggles that are on, whose variants contain the toggle's state", async () => {
  const { request } = await startShared();
  const response = await request("/api/frontend?userId=7");
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
  expect(response.headers.get("cache-control")).toBe("no-cache");
  expect(response.headers.get("vary")).toBe("authorization, accept-encoding");
  const payload = { type: "json", value: '{"a":"é\\n"}' };
  expect(await response.json()).toEqual({
    toggles: [
      { name: "on", enabled: true, impressionData: false, variant: { ...NO_VARIANT, ...ON } },
      {
        name: "impressions",
        enabled: true,
        impressionData: true,
        variant: { ...NO_VARIANT, ...ON },
      },
      {
        name: "for-user-7",
        enabled: true,
        impressionData: false,
        variant: { ...NO_VARIANT, ...ON },
      },
      {
        name: "with-variant",
        enabled: true,
        impressionData: false,
        variant: { name: "blue", enabled: true, payload, ...ON },
      },
      {
        name: "variant-named-disabled",
        enabled: true,
        impressionData: false,
        variant: { name: "disabled", enabled: true, ...ON },
      },
    ],
  });
});

test("GET /proxy: variants do not contain the toggle's state", async () => {
  const { request } = await startShared();
  const [toggle] = await togglesOf(await request("/proxy"));
  expect(toggle?.variant).toEqual(NO_VARIANT);
});

test.each([
  ["under `context`", { context: { userId: "7", properties: { plan: "gold" } } }],
  ["at the top level", { userId: "7", plan: "gold" }],
  [
    "at the top level, `context` being null",
    { userId: 7, properties: { plan: "gold" }, context: null },
  ],
  [
    "under `context`, which takes precedence",
    { userId: "8", context: { userId: "7", plan: "gold" } },
  ],
])("POST /api/frontend: a context %s", async (_where, body) => {
  const { request, post } = await startShared();
  const fetched = await request("/api/frontend?userId=7&plan=gold");
  const posted = await post("/api/frontend", body);
  expect(posted.status).toBe(200);
  expect(posted.headers.get("etag")).toBe(fetched.headers.get("etag"));
  expect(await posted.json()).toEqual(await fetched.json());
});

test("POST /api/frontend without a context: an empty context", async () => {
  const { post } = await startShared();
  const response = await post("/api/frontend", {});
  expect(response.status).toBe(200);
  expect(await namesOf(response)).not.toContain("for-user-7");
});

test("POST /api/frontend with `toggles`: only these, each as often as it is named, on or off", async () => {
  const { post } = await startShared();
  const toggles = ["off", "on", "unknown", "on"];
  expect(await (await post("/api/frontend", { toggles, userId: "7" })).json()).toEqual({
    toggles: [
      { name: "off", enabled: false, impressionData: false, variant: { ...NO_VARIANT, ...OFF } },
      { name: "on", enabled: true, impressionData: false, variant: { ...NO_VARIANT, ...ON } },
      {
        name: "unknown",
        enabled: false,
        impressionData: false,
        variant: { ...NO_VARIANT, ...OFF },
      },
      { name: "on", enabled: true, impressionData: false, variant: { ...NO_VARIANT, ...ON } },
    ],
  });
});

test.each([
  [{ context: [] }, "context"],
  [{ context: "text" }, "context"],
  [{ toggles: "on" }, "toggles"],
])("POST /api/frontend with %j is a 400 that names the field", async (body, path) => {
  const { post } = await startShared();
  const response = await post("/api/frontend", body);
  expect(response.status).toBe(400);
  const { error, validation } = await errorOf(response);
  expect(error).toContain(`\`${path}\``);
  expect(validation).toMatchObject([{ path }]);
});

const FIELDS = flag("fields", {
  strategies: [withConstraint("userId", ["7"]), withConstraint("plan", ["gold"])],
});

test.each([
  [{ context: { userId: "7", properties: { roles: ["a", "b"] } } }, true],
  [{ context: { userId: "7", roles: ["a"], custom: { a: 1 } } }, true],
  [{ context: { userId: "7" }, extra: { a: 1 } }, true],
  [{ userId: "7", extra: [], properties: [] }, true],
  [{ context: { userId: "7", properties: "text", currentTime: {} } }, true],
  [{ context: { userId: ["7"], properties: { plan: "gold" } } }, true],
  [{ context: { userId: ["7"], properties: { plan: ["gold"] } } }, false],
  [{ userId: { 7: "7" }, properties: ["gold"] }, false],
])(
  "POST /api/frontend with %j: values other than strings, numbers and booleans are ignored, as in Edge",
  async (body, isOn) => {
    const { post } = await startShared({ document: { features: [FIELDS] } });
    for (const path of ["/api/frontend", "/api/proxy", "/api/frontend/features/fields"]) {
      const response = await post(path, body);
      expect(response.status).toBe(200);
      expect(JSON.stringify(await response.json()).includes('"enabled":true')).toBe(isOn);
    }
  },
);

test.each([
  ["userId=7&properties=bad", true],
  ["userId=7&properties[a][b]=1", true],
  ["userId=7&properties[]=1&properties[=2&properties[plan=3", true],
  ["userId=7&plan=%E0%A4%A&%zz=1", true],
  ["userId=%zz&properties[plan]=gold", true],
  ["properties[plan][a]=gold", false],
  ["userId=%zz", false],
])("GET /api/frontend?%s: unreadable parameters are ignored, as in Edge", async (query, isOn) => {
  const { request } = await startShared({ document: { features: [FIELDS] } });
  for (const path of ["/api/frontend", "/api/proxy", "/api/frontend/features/fields"]) {
    const response = await request(`${path}?${query}`);
    expect(response.status).toBe(200);
    expect(JSON.stringify(await response.json()).includes('"enabled":true')).toBe(isOn);
  }
  expect((await request(`/proxy?${query}`)).status).toBe(400);
});

const SINCE_2020 = { contextName: "currentTime", operator: "DATE_AFTER", value: "2020-01-01" };
const NOW = flag("now", {
  strategies: [{ name: "default", parameters: {}, constraints: [SINCE_2020] }],
});

test("/api/frontend: a currentTime that is not a time is ignored, as in the upstream", async () => {
  const { request, post } = await startShared({ document: { features: [NOW] } });
  for (const path of ["/api/frontend", "/api/proxy"]) {
    expect(await namesOf(await request(`${path}?currentTime=yesterday`))).toEqual(["now"]);
    expect(await namesOf(await post(path, { currentTime: "yesterday" }))).toEqual(["now"]);
    expect(await namesOf(await post(path, { context: { currentTime: false } }))).toEqual(["now"]);
    expect(await namesOf(await request(`${path}?currentTime=2019-01-01`))).toEqual([]);
    expect(await namesOf(await post(path, { currentTime: 0 }))).toEqual([]);
  }
  const single = await request("/api/frontend/features/now?currentTime=yesterday");
  expect(await single.json()).toMatchObject({ enabled: true });
});

test("/api/frontend: the values of a repeated parameter are joined with commas, as in the upstream", async () => {
  const features = [
    flag("first", { strategies: [withConstraint("userId", ["7"])] }),
    flag("last", { strategies: [withConstraint("userId", ["8"])] }),
    flag("joined", { strategies: [withConstraint("userId", ["7,8"])] }),
  ];
  const { request } = await startShared({ document: { features } });
  expect(await namesOf(await request("/api/frontend?userId=7&userId=8"))).toEqual(["joined"]);
});

test.each([
  ["no type", {}],
  ["an empty type", { "content-type": "" }],
  ["JSON as its type", { "content-type": "application/json" }],
])("POST /api/frontend without a body and with %s: an empty context", async (_, headers) => {
  const { request } = await startShared({ config: ALL });
  for (const path of ["/api/frontend", "/api/frontend/all", "/api/frontend/features/on"]) {
    const response = await request(path, { method: "POST", headers });
    expect(response.status, path).toBe(200);
    expect(JSON.stringify(await response.json()), path).toContain('"name":"on"');
  }
  const usage = await request("/api/frontend/client/metrics", { method: "POST", headers });
  expect(usage.status).toBe(400);
});

test("/api/frontend/all: toggles on and off by GET and POST, if enabled", async () => {
  const { request, post } = await startShared({ config: ALL });
  const names = SAMPLE.features.map(({ name }) => name);
  const fetched = await request("/api/frontend/all");
  expect(await namesOf(await post("/api/frontend/all", { userId: "7" }))).toEqual(names);
  const toggles = await togglesOf(fetched);
  expect(toggles.map(({ name }) => name)).toEqual(names);
  expect(toggles[1]?.variant).toEqual({ ...NO_VARIANT, ...OFF });
});

test("/api/frontend/all: 501 that names the setting, if not enabled", async () => {
  const { request } = await startShared();
  const response = await request("/api/frontend/all");
  expect(response.status).toBe(501);
  expect((await errorOf(response)).error).toContain("ENABLE_ALL_ENDPOINT");
});

test("/api/frontend/features/{name}: one toggle, on or off, by GET and POST", async () => {
  const { request, post } = await startShared();
  const off = await request("/api/frontend/features/for-user-7?userId=8");
  expect(await off.json()).toEqual({
    name: "for-user-7",
    enabled: false,
    impressionData: false,
    variant: { ...NO_VARIANT, ...OFF },
  });
  for (const response of [
    await request("/api/frontend/features/for-user-7?userId=7"),
    await post("/api/frontend/features/for-user-7", { userId: "7" }),
    await post("/api/frontend/features/for-user-7", { context: { userId: "7" } }),
  ]) {
    expect(await response.json()).toMatchObject({ enabled: true, variant: ON });
  }
});

test("/api/frontend/features/{name}: an encoded name, and an unknown one", async () => {
  const { request } = await startShared({ document: { features: [flag("a/b ø")] } });
  const path = `/api/frontend/features/${encodeURIComponent("a/b ø")}`;
  expect(await (await request(path)).json()).toMatchObject({ name: "a/b ø", enabled: true });
  const unknown = await request("/api/frontend/features/b");
  expect(unknown.status).toBe(404);
  expect((await errorOf(unknown)).error).toContain("`b`");
});

test.each([
  "/api/frontend?userId=7",
  "/api/frontend/all?userId=7",
  "/api/frontend/features/for-user-7?userId=7",
  "/api/proxy?userId=7",
])("GET %s: 304 without a body until the response changes", async (path) => {
  const { request, source } = await startProxy({ config: ALL });
  const etag = (await request(path)).headers.get("etag") ?? "";
  const headers = { "if-none-match": etag };
  const again = await request(path, { headers });
  expect(again.status).toBe(304);
  expect(await again.text()).toBe("");
  expect((await request(path.replace("7?", "7?x=1&"), { headers })).status).toBe(304);
  expect((await request(path.replace("userId=7", "userId=8"), { headers })).status).toBe(200);

  const changed = flag("for-user-7", {
    impressionData: true,
    strategies: [withConstraint("userId", ["7"])],
  });
  source.replace({ features: [changed] });
  expect((await request(path, { headers })).status).toBe(200);
});

test("POST /api/frontend: 304 if the client has the response", async () => {
  const { post } = await startShared();
  const etag = (await post("/api/frontend", { userId: "7" })).headers.get("etag") ?? "";
  const again = await post("/api/frontend", { userId: "7" }, { "if-none-match": etag });
  expect(again.status).toBe(304);
});

test("/api/proxy is the same API, under a base path too", async () => {
  const config = { basePath: "/base", ...ALL };
  const { request } = await startShared({ config });
  for (const rest of ["?userId=7", "/all", "/features/on"]) {
    const [one, other] = [
      await request(`/base/api/frontend${rest}`),
      await request(`/base/api/proxy${rest}`),
    ];
    expect(other.status).toBe(200);
    expect(await other.text()).toBe(await one.text());
    expect(other.headers.get("etag")).toBe(one.headers.get("etag"));
  }
  expect((await request("/api/frontend")).status).toBe(404);
});

test.each([
  "/api/frontend/client/metrics",
  "/api/frontend/all/client/metrics",
  "/api/proxy/client/metrics",
  "/api/proxy/all/client/metrics",
  "/api//frontend//client/metrics/",
])("POST %s: usage is accepted", async (path) => {
  const { post, source } = await startProxy();
  const response = await post(path, {
    appName: "shop",
    instanceId: "browser",
    bucket: { start: "2026-01-01T00:00:00Z", toggles: { on: { yes: 2, no: 1 } } },
    impactMetrics: [],
  });
  expect(response.status).toBe(200);
  expect(source.usage).toMatchObject([{ appName: "shop", features: { on: { yes: 2, no: 1 } } }]);
});

test.each(["/api/frontend", "/api/frontend/all", "/api/proxy"])(
  "POST %s/client/register is accepted",
  async (path) => {
    const { post } = await startShared();
    const response = await post(`${path}/client/register`, { appName: "shop", strategies: [] });
    expect(response.status).toBe(200);
  },
);

test.each(["/api/frontend", "/api/frontend/features/on", "/api/frontend/all", "/api/proxy"])(
  "GET %s without a client key is a 401, and a 503 before the first flags",
  async (path) => {
    const { request } = await startShared({ config: ALL });
    for (const key of ["", "unknown", "server-token"]) {
      const response = await request(path, { headers: { authorization: key } });
      expect(response.status).toBe(401);
      expect((await errorOf(response)).error).toContain("`authorization`");
    }
    const unready = await startProxyOver(new DocumentSource());
    const early = await unready.request(path, { headers: { authorization: "" } });
    expect(early.status).toBe(503);
    expect(early.headers.get("retry-after")).toBe("1");
  },
);

test("enrichers complete the context of the frontend API, too", async () => {
  const { request } = await startProxy({
    config: { contextEnrichers: [(context) => ({ ...context, userId: "7" })] },
  });
  expect(await namesOf(await request("/api/frontend"))).toContain("for-user-7");
  expect(await (await request("/api/frontend/features/for-user-7")).json()).toMatchObject({
    enabled: true,
  });
});

test("a flag that the upstream sends twice is listed once, by every endpoint", async () => {
  const features = [flag("twice"), flag("other"), flag("twice", { impressionData: true })];
  const { request, post } = await startShared({ document: { features }, config: ALL });
  for (const path of ["/proxy", "/proxy/all", "/api/frontend", "/api/frontend/all"]) {
    expect(await namesOf(await request(path)), path).toEqual(["twice", "other"]);
    const named = await post(path, { context: {}, toggles: ["twice"] });
    expect(await namesOf(named), path).toEqual(["twice"]);
  }
});
