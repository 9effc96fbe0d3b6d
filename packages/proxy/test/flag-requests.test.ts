import fc from "fast-check";
import { expect, test } from "vitest";
import { fuzzRuns, sized } from "../../../scripts/test-size.ts";
import {
  sendRaw,
  DOCUMENT,
  expectSameEachTime,
  flag,
  half,
  requestHeaders,
} from "./_flag-requests.ts";
import { proxyConfig, startProxy, togglesOf, shareProxies } from "./_proxy.ts";
import { DocumentSource } from "./_source.ts";

const startShared = shareProxies();

const value = fc.constantFrom("", "1", "2", "pro", "10.1.1.1", "ø", "a b", "2026-01-31");
const contexts = fc.dictionary(
  fc.constantFrom("userId", "sessionId", "remoteAddress", "plan", "properties[plan]", "appName"),
  value,
  { noNullPrototype: true },
);
test.each([
  ["any origin", "*", false],
  ["listed origins", ["https://a.example"], false],
  ["credentials", ["https://a.example", "https://c.example"], true],
] as const)(
  "GET /proxy: repeated requests have the same response, with %s",
  async (_, origin, credentials) => {
    const { cors } = proxyConfig();
    const proxy = await startProxy({
      document: DOCUMENT,
      config: { cors: { ...cors, origin, credentials } },
    });
    await fc.assert(
      fc.asyncProperty(contexts, requestHeaders, async (context, headers) => {
        // With ids the response is not random.
        const query = `?${new URLSearchParams({ sessionId: "s", ...context, userId: "u" })}`;
        const response = await expectSameEachTime(proxy, "/proxy", { query, headers });
        expect(response.status).toBe(200);
        const { etag = "" } = response.headers;
        for (const ifNoneMatch of [etag, etag.slice(2), `"x", ${etag}`, "*", '"x"', ""]) {
          const conditional = { ...headers, "if-none-match": ifNoneMatch };
          // oxlint-disable-next-line no-await-in-loop -- requests must not overlap
          await expectSameEachTime(proxy, "/proxy", { query, headers: conditional });
        }
      }),
      { numRuns: fuzzRuns(10, 30) },
    );
  },
);

test.each(["/proxy", "/base/api/frontend", "/base/api/proxy"])(
  "GET %s: repeated requests have the same response",
  async (path) => {
    const proxy = await startProxy({
      document: DOCUMENT,
      config: { basePath: path.startsWith("/base") ? "/base" : "" },
    });
    await fc.assert(
      fc.asyncProperty(contexts, requestHeaders, async (context, headers) => {
        const query = `?${new URLSearchParams({ sessionId: "s", ...context, userId: "u" })}`;
        const response = await expectSameEachTime(proxy, path, { query, headers });
        const { etag = "" } = response.headers;
        const conditional = { ...headers, "if-none-match": etag };
        const again = await expectSameEachTime(proxy, path, { query, headers: conditional });
        expect([response.status, again.status]).toEqual([200, 304]);
      }),
      { numRuns: 10 },
    );
  },
);

test("different paths with the same query have different responses", async () => {
  const proxy = await startShared({ document: DOCUMENT });
  const query = "?userId=1&sessionId=1";
  const sendBoth = async () => [
    (await sendRaw(proxy, `/proxy${query}`, {})).body,
    (await sendRaw(proxy, `/api/frontend${query}`, {})).body,
  ];
  const [plain, detailed] = await sendBoth();
  expect(plain).not.toContain("feature_enabled");
  expect(detailed).toContain("feature_enabled");
  for (let round = 0; round < 3; round += 1) {
    // oxlint-disable-next-line no-await-in-loop -- repeated responses may come from the cache
    expect(await sendBoth()).toEqual([plain, detailed]);
  }
});

test.each([
  ["no key", "?userId=1", { authorization: "" }],
  ["a wrong key", "?userId=1", { authorization: "wrong" }],
  ["a nested property", "?properties[a][b]=1", {}],
  ["properties as text", "?properties=x", {}],
  ["a bad percent-encoding", "?userId=%zz", {}],
  ["an invalid time", "?currentTime=soon", {}],
])("GET /proxy with %s is an error", async (_, query, headers) => {
  const proxy = await startShared({ document: DOCUMENT });
  expect((await expectSameEachTime(proxy, "/proxy", { query, headers })).status).toBeGreaterThan(
    399,
  );
});

test.each(["/proxy", "/api/frontend"])("GET %s with a repeated field", async (path) => {
  const proxy = await startShared({ document: DOCUMENT });
  const query = "?userId=1&userId=2&sessionId=1";
  expect((await expectSameEachTime(proxy, path, { query, headers: {} })).status).toBe(200);
});

test("GET /proxy with the coding of a body that it does not have", async () => {
  const proxy = await startShared({ document: DOCUMENT });
  const compared = { query: "?userId=1&sessionId=1", headers: { "content-encoding": "unknown" } };
  expect((await expectSameEachTime(proxy, "/proxy", compared)).status).toBe(200);
});

test.each(["currentTime=soon", "properties[a][b]=1", "properties=x", "plan=%zz"])(
  "GET /api/frontend ignores %s",
  async (parameter) => {
    const proxy = await startShared({ document: DOCUMENT });
    const query = `?userId=1&sessionId=1&${parameter}`;
    const response = await expectSameEachTime(proxy, "/api/frontend", { query, headers: {} });
    expect(response.status).toBe(200);
  },
);

test("contexts that differ in one relevant field never share a response", async () => {
  const { request } = await startShared({ document: DOCUMENT });
  const plans = async (plan: string): Promise<boolean> => {
    const response = await request(`/proxy?userId=1&sessionId=1&properties[plan]=${plan}`);
    return (await togglesOf(response)).some(({ name }) => name === "plan");
  };
  for (let round = 0; round < 3; round++) {
    expect([await plans("pro"), await plans("free")]).toEqual([true, false]);
  }
});

test("clients at different addresses never share a response that depends on the address", async () => {
  const { request } = await startProxy({ document: DOCUMENT, config: { trustProxy: true } });
  const isIn = async (address: string): Promise<boolean> => {
    const headers = { "x-forwarded-for": address };
    const response = await request("/proxy?userId=1&sessionId=1", { headers });
    return (await togglesOf(response)).some(({ name }) => name === "address");
  };
  for (let round = 0; round < 3; round++) {
    expect([await isIn("10.1.1.1"), await isIn("192.0.2.1")]).toEqual([true, false]);
  }
});

test("a response that depends on chance or on a custom strategy is not cached", async () => {
  let day = 0;
  const rules: readonly (readonly [string, object])[] = [
    ["chance", { name: "gradualRolloutRandom", parameters: { percentage: "50" } }],
    ["no id", half("no-id")],
    ["a custom strategy", { name: "odd-day" }],
  ];
  for (const [reason, rule] of rules) {
    const strategies = [{ name: "odd-day", isEnabled: () => day++ % 2 === 1 }];
    const source = new DocumentSource({ features: [flag("flag", rule)] }, strategies);
    // oxlint-disable-next-line no-await-in-loop -- one proxy at a time
    const { request } = await startProxy({ source });
    const seen = new Set<number>();
    for (let round = 0; round < 200 && seen.size < 2; round++) {
      // oxlint-disable-next-line no-await-in-loop -- requests must not overlap
      seen.add((await togglesOf(await request("/proxy?appName=a"))).length);
    }
    expect(seen.size, reason).toBe(2);
  }
});

test("a new snapshot takes effect at once, whatever was cached for the previous one", async () => {
  const { request, source } = await startProxy({ document: DOCUMENT });
  const count = async (): Promise<number> =>
    (await togglesOf(await request("/proxy?userId=1&sessionId=1"))).length;
  expect(await count()).toBeGreaterThan(1);
  source.replace({ features: [flag("only", { name: "default" })] });
  expect(await count()).toBe(1);
});

test("concurrent responses do not mix their bodies", async () => {
  const features = Array.from({ length: 300 }, (_, index) =>
    flag(`half-${index}-${"x".repeat(1000)}`, half(`half-${index}`)),
  );
  const proxy = await startProxy({ document: { features } });
  const users = Array.from({ length: sized(30, 100) }, (_, user) => `?userId=u${user}&sessionId=s`);
  const sendAll = async (path: string): Promise<string[]> => {
    const responses = await Promise.all(users.map(async (user) => sendRaw(proxy, path + user, {})));
    return responses.map(({ body }) => body);
  };
  const bodies = await sendAll("/proxy");
  expect(bodies).toEqual(await sendAll("/proxy/"));
  expect(new Set(bodies).size).toBe(users.length);
});
