import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Context } from "flags-engine";
import { Client } from "undici";
import type { Context as OfficialContext } from "unleash-client";
import { expect, onTestFinished, test } from "vitest";
import { buildApp } from "../src/start/app.ts";
import { toSource } from "../src/sources/sources.ts";
import { flag } from "./_documents.ts";
import {
  errorOf,
  KEY,
  MemoryLogger,
  namesOf,
  proxyConfig,
  startProxy,
  shareProxies,
} from "./_proxy.ts";
import { DocumentSource } from "./_source.ts";
import type { ProxyConfig } from "../src/config/config.ts";

const startShared = shareProxies();

/** Starts a proxy with a custom strategy that records its context. */
async function startEcho(config: Partial<ProxyConfig> = {}) {
  const seen: Context[] = [];
  const echo = { name: "echo", isEnabled: (_: unknown, context: Context) => seen.push(context) };
  const source = new DocumentSource(
    { features: [flag("echo", { strategies: [{ name: "echo", parameters: {} }] })] },
    [echo],
  );
  const proxy = await startProxy({ source, config });
  return {
    ...proxy,
    get: async (query: string, headers: Record<string, string> = {}): Promise<Context> => {
      const response = await proxy.request(`/proxy${query}`, { headers });
      expect(response.status, query).toBe(200);
      return seen.at(-1) ?? {};
    },
    body: async (context: unknown): Promise<Context> => {
      const response = await proxy.post("/proxy", { context });
      expect(response.status, JSON.stringify(context)).toBe(200);
      return seen.at(-1) ?? {};
    },
  };
}

const FIELDS = {
  appName: "shop",
  userId: "7",
  sessionId: "s1",
  environment: "stage",
  remoteAddress: "10.1.2.3",
  currentTime: "2026-01-31T12:00:00.000Z",
};

test("GET context: every field is a parameter of the same name", async () => {
  const { get } = await startEcho();
  expect(await get(`?${new URLSearchParams(FIELDS)}`)).toMatchObject(FIELDS);
});

test("POST context: every field, with properties", async () => {
  const { body } = await startEcho();
  const context = { ...FIELDS, properties: { plan: "gold" } };
  expect(await body(context)).toMatchObject(context);
});

test("GET context: properties with plain and encoded brackets, + and %20 as spaces", async () => {
  const { get } = await startEcho();
  const { properties } = await get(
    "?properties[plan]=gold&properties%5Bmy+key%5D=a+b&properties%5Ba%5Bb%5D%5D=c%2Bd&properties[e]=%C3%A9&",
  );
  expect({ ...properties }).toEqual({ plan: "gold", "my key": "a b", "a[b]": "c+d", e: "é" });
});

test("context: any other field becomes a property, and an explicit property takes precedence", async () => {
  const { get, body } = await startEcho();
  const expected = { plan: "gold", tier: "1" };
  expect({ ...(await get("?plan=x&tier=1&properties[plan]=gold")).properties }).toEqual(expected);
  expect({ ...(await get("?properties[plan]=gold&plan=x&tier=1")).properties }).toEqual(expected);
  const sent = { properties: { plan: "gold" }, plan: "x", tier: 1 };
  expect({ ...(await body(sent)).properties }).toEqual(expected);
});

test("POST context: numbers and booleans become strings, and null means absent", async () => {
  const { body } = await startEcho();
  const context = await body({
    userId: 7,
    appName: null,
    vip: true,
    properties: { size: 1.5, none: null },
  });
  expect(context.userId).toBe("7");
  expect(context.appName).toBe("flags-proxy");
  expect({ ...context.properties }).toEqual({ size: "1.5", vip: "true" });
  expect({ ...(await body({ properties: null })).properties }).toEqual({});
});

test.each([
  ["a GET", "userId=&appName=&environment=&sessionId&remoteAddress&currentTime"],
  ["a GET without fields", ""],
  ["a POST", { userId: "", appName: "", environment: "", sessionId: "", remoteAddress: "" }],
])("context of %s: the proxy adds fields that are missing or empty", async (_, sent) => {
  const { get, body } = await startEcho();
  const context = await (typeof sent === "string" ? get(`?${sent}`) : body(sent));
  expect(context).toMatchObject({
    appName: "flags-proxy",
    environment: "default",
    remoteAddress: "127.0.0.1",
  });
  expect(context.sessionId).toMatch(/^[0-9a-f-]{36}$/);
  expect(context).not.toHaveProperty("userId");
  expect(context).not.toHaveProperty("currentTime");
});

test("environment: clients cannot override it when the option is configured", async () => {
  const { get, body } = await startEcho({ environment: "production" });
  expect((await get("?environment=stage")).environment).toBe("production");
  expect((await body({ environment: "stage" })).environment).toBe("production");
  const free = await startEcho();
  expect((await free.get("?environment=stage")).environment).toBe("stage");
});

test("context: names such as __proto__ and constructor are harmless properties", async () => {
  const { get, url, request } = await startEcho();
  const { properties } = await get(
    "?__proto__=a&properties[constructor]=b&properties[__proto__]=c",
  );
  expect(Object.entries(properties ?? {})).toEqual([
    ["__proto__", "c"],
    ["constructor", "b"],
  ]);
  const response = await request("/proxy", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: '{"context":{"__proto__":"x","properties":{"__proto__":"y","toString":"z"}}}',
  });
  expect(response.status, url).toBe(200);
  expect(Reflect.get({}, "x")).toBeUndefined();
});

test.each([
  ["properties=text", "properties"],
  ["properties[a][b]=1", "properties[a][b]"],
  ["properties[a=1", "properties[a"],
  ["properties[]=1", "properties[]"],
  ["userId=%zz", "userId"],
  ["%e9=1", "%e9"],
  ["currentTime=yesterday", "currentTime"],
  ["currentTime=2026-13-01", "currentTime"],
  ["currentTime=1700000000000", "currentTime"],
])("GET context: 400 naming the parameter for ?%s", async (query, path) => {
  const { request } = await startShared();
  const response = await request(`/proxy?${query}`);
  expect(response.status).toBe(400);
  const { error, validation } = await errorOf(response);
  expect(error).toContain(path);
  expect(validation).toMatchObject([{ path }]);
});

test("GET context: the values of a repeated parameter are joined with commas", async () => {
  const { get } = await startEcho();
  const context = await get(
    "?userId=1&userId=2&plan=a&plan=b&properties[tier]=1&properties%5Btier%5D=&properties[tier]=3",
  );
  expect(context.userId).toBe("1,2");
  expect({ ...context.properties }).toEqual({ plan: "a,b", tier: "1,,3" });
  const explicit = await get("?plan=a&plan=b&properties[plan]=gold");
  expect({ ...explicit.properties }).toEqual({ plan: "gold" });
});

test.each([
  [{}, "context"],
  [{ context: null }, "context"],
  [{ context: "x" }, "context"],
  [{ context: { userId: {} } }, "context.userId"],
  [{ context: { userId: ["1"] } }, "context.userId"],
  [{ context: { plan: [] } }, "context.plan"],
  [{ context: { properties: "x" } }, "context.properties"],
  [{ context: { properties: [] } }, "context.properties"],
  [{ context: { properties: { a: {} } } }, "context.properties.a"],
  [{ context: {}, toggles: "a" }, "toggles"],
  [{ context: {}, toggles: [1] }, "toggles.0"],
  [{ context: {}, toggles: null }, "toggles"],
  [{ context: { currentTime: "soon" } }, "currentTime"],
  [{ context: { currentTime: 1e300 } }, "currentTime"],
  [{ context: { currentTime: true } }, "currentTime"],
])("POST /proxy: 400 naming the place for %j", async (body, path) => {
  const { post } = await startShared();
  const response = await post("/proxy", body);
  expect(response.status).toBe(400);
  const { error, validation } = await errorOf(response);
  expect(error).toContain(path);
  expect(validation).toContainEqual(expect.objectContaining({ path }));
});

test("POST /proxy: all problems of a body are listed, up to a bound", async () => {
  const { post } = await startShared();
  const body = { context: { userId: [], plan: {}, properties: { a: [] } }, toggles: [1, 2] };
  const { validation } = await errorOf(await post("/proxy", body));
  expect(validation).toHaveLength(5);

  const large = await post("/proxy", { context: {}, toggles: Array(10_000).fill(1) });
  expect(large.status).toBe(400);
  expect(await errorOf(large)).not.toHaveProperty("validation");
});

test.each([
  "2026",
  "2026-01",
  "2026-01-31",
  "2026-01-31T12:00Z",
  "2026-01-31T12:00:00+01:00",
  "2026-01-31T12:00:00.5",
])("currentTime: %s is ISO 8601", async (currentTime) => {
  const { get } = await startEcho();
  expect((await get(`?${new URLSearchParams({ currentTime })}`)).currentTime).toBe(currentTime);
});

test.each(["Sat, 31 Jan 2026 12:00:00 GMT", "Sat Jan 31 2026 13:00:00 GMT+0100 (CET)"])(
  "currentTime: %s is converted to ISO 8601",
  async (currentTime) => {
    const { get, body } = await startEcho();
    const expected = "2026-01-31T12:00:00.000Z";
    expect((await get(`?${new URLSearchParams({ currentTime })}`)).currentTime).toBe(expected);
    expect((await body({ currentTime })).currentTime).toBe(expected);
  },
);

test("currentTime: a number in a JSON body is in epoch milliseconds", async () => {
  const { body } = await startEcho();
  const expected = "2026-01-31T12:00:00.000Z";
  expect((await body({ currentTime: Date.parse(expected) })).currentTime).toBe(expected);
  expect((await body({ currentTime: 0 })).currentTime).toBe("1970-01-01T00:00:00.000Z");
});

test("trustProxy false: forwarded addresses are ignored", async () => {
  const { get } = await startEcho();
  const headers = { "x-forwarded-for": "203.0.113.9" };
  expect((await get("", headers)).remoteAddress).toBe("127.0.0.1");
});

test.each([
  ["true", true, "203.0.113.9"],
  ["an IP", ["127.0.0.1"], "198.51.100.2"],
  ["a CIDR", ["127.0.0.0/8"], "198.51.100.2"],
  ["a list", ["127.0.0.1", "198.51.100.0/24"], "203.0.113.9"],
  ["the IP of another host", ["10.0.0.1"], "127.0.0.1"],
  ["one proxy", 1, "198.51.100.2"],
  ["two proxies", 2, "203.0.113.9"],
  ["more proxies than there are", 9, "203.0.113.9"],
] as const)("trustProxy %s: the context gets the forwarded address", async (_, trustProxy, ip) => {
  const { get } = await startEcho({ trustProxy });
  const headers = { "x-forwarded-for": "203.0.113.9, 198.51.100.2" };
  expect((await get("", headers)).remoteAddress).toBe(ip);
  expect((await get("?remoteAddress=192.0.2.1", headers)).remoteAddress).toBe("192.0.2.1");
});

test("remoteAddress: an IPv4 address mapped into IPv6 is converted to IPv4", async () => {
  const { get } = await startEcho({ trustProxy: true });
  const context = await get("", { "x-forwarded-for": "::ffff:203.0.113.9" });
  expect(context.remoteAddress).toBe("203.0.113.9");
});

test("remoteAddress: absent for a client on a Unix socket", async () => {
  const source = new DocumentSource({ features: [flag("on")] });
  const seen: unknown[] = [];
  const { main } = await buildApp(
    proxyConfig({
      contextEnrichers: [
        (context, { remoteAddress }) => {
          seen.push("remoteAddress" in context, remoteAddress);
          return context;
        },
      ],
    }),
    [toSource(source)],
  );
  const directory = await mkdtemp(join(tmpdir(), "flags-proxy-"));
  onTestFinished(async () => {
    await main.close();
    await rm(directory, { recursive: true });
  });
  const socketPath = join(directory, "socket");
  await once(main.server.listen(socketPath), "listening");
  const dispatcher = new Client("http://localhost", { socketPath });
  const headers = { authorization: KEY };
  const { statusCode, body } = await dispatcher.request({ method: "GET", path: "/proxy", headers });
  await body.dump();
  await dispatcher.close();
  expect(statusCode).toBe(200);
  expect(seen).toEqual([false, ""]);
});

test("expCustomEnrichers: may be typed with the Context of the official SDK", async () => {
  const seen: unknown[] = [];
  const enricher = async (context: OfficialContext): Promise<OfficialContext> => {
    seen.push(context.currentTime?.getTime());
    return { ...context, properties: { ...context.properties, tier: 2 } };
  };
  const { get } = await startEcho({ contextEnrichers: [enricher] });
  const context = await get("?plan=gold&currentTime=2026-01-31T12:00:00Z");
  expect({ ...context.properties }).toEqual({ plan: "gold", tier: 2 });
  await get("");
  expect(seen).toEqual([Date.UTC(2026, 0, 31, 12), undefined]);
});

test("expCustomEnrichers: flags are evaluated for the Date in currentTime", async () => {
  const before2020 = { contextName: "currentTime", operator: "DATE_BEFORE", value: "2020-01-01" };
  const strategies = [{ name: "default", parameters: {}, constraints: [before2020] }];
  const { request } = await startProxy({
    document: { features: [flag("old", { strategies })] },
    config: { contextEnrichers: [(context) => context] },
  });
  expect(await namesOf(await request("/proxy?currentTime=2019-01-31"))).toEqual(["old"]);
  expect(await namesOf(await request("/proxy?currentTime=2021-01-31"))).toEqual([]);
});

test("expCustomEnrichers: run in order, each on the result of the previous one, and may be asynchronous", async () => {
  const { get } = await startEcho({
    contextEnrichers: [
      (context) => ({ ...context, userId: `${String(context.userId)}-one` }),
      async (context, request) => ({
        ...context,
        userId: `${String(context.userId)}-two`,
        properties: { agent: request.headers["user-agent"], from: request.remoteAddress },
      }),
    ],
  });
  expect(await get("?userId=1", { "user-agent": "robot" })).toMatchObject({
    userId: "1-one-two",
    properties: { agent: "robot", from: "127.0.0.1" },
  });
});

test.each([
  ["throws", () => Promise.reject(new Error("database password is 1234"))],
  [
    "throws an error with a status",
    () => Promise.reject(Object.assign(new Error("1234 not found"), { statusCode: 404 })),
  ],
  ["returns nothing", () => undefined as unknown as Context],
])(
  "expCustomEnrichers: one that %s causes a 500 without details, and is logged",
  async (_, enricher) => {
    const logger = new MemoryLogger();
    const { request } = await startEcho({ contextEnrichers: [enricher], logger });
    const response = await request("/proxy");
    expect(response.status).toBe(500);
    const { error } = await errorOf(response);
    expect(error).not.toMatch(/1234|enricher/);
    const [id] = /[0-9a-f-]{36}/.exec(error) ?? [];
    expect(logger.lines).toHaveLength(1);
    expect(logger.lines[0]?.level).toBe("error");
    expect(String(logger.lines[0]?.parts[0])).toContain(id);
    expect(logger.lines[0]?.parts[1]).toBeInstanceOf(Error);
  },
);
