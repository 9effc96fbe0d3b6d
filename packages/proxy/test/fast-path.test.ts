import fc from "fast-check";
import { expect, test } from "vitest";
import { ask, DOCUMENT, expectSameOnBothPaths, flag, half, requestHeaders } from "./_fast-path.ts";
import { proxyConfig, startProxy, togglesOf } from "./_proxy.ts";
import { DocumentSource } from "./_source.ts";

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
  "GET /proxy is answered alike by the fast path, with %s",
  async (_, origin, credentials) => {
    const { cors } = proxyConfig();
    const proxy = await startProxy({
      document: DOCUMENT,
      config: { cors: { ...cors, origin, credentials } },
    });
    await fc.assert(
      fc.asyncProperty(contexts, requestHeaders, async (context, headers) => {
        // With an id the answer does not depend on chance.
        const query = `?${new URLSearchParams({ sessionId: "s", ...context, userId: "u" })}`;
        const answer = await expectSameOnBothPaths(proxy, "/proxy", { query, headers });
        expect(answer.status).toBe(200);
        const { etag = "" } = answer.headers;
        for (const ifNoneMatch of [etag, etag.slice(2), `"x", ${etag}`, "*", '"x"', ""]) {
          const conditional = { ...headers, "if-none-match": ifNoneMatch };
          // oxlint-disable-next-line no-await-in-loop -- one question at a time is the point
          await expectSameOnBothPaths(proxy, "/proxy", { query, headers: conditional });
        }
      }),
      { numRuns: 30 },
    );
  },
);

test.each(["/proxy", "/base/api/frontend", "/base/api/proxy"])(
  "GET %s is answered ahead of the framework, and alike",
  async (path) => {
    const seen: string[] = [];
    const proxy = await startProxy({
      document: DOCUMENT,
      config: { basePath: path.startsWith("/base") ? "/base" : "" },
      extend: (app) => {
        app.addHook("onRequest", async ({ url }) => void seen.push(url));
      },
    });
    await fc.assert(
      fc.asyncProperty(contexts, requestHeaders, async (context, headers) => {
        const query = `?${new URLSearchParams({ sessionId: "s", ...context, userId: "u" })}`;
        const answer = await expectSameOnBothPaths(proxy, path, { query, headers });
        const { etag = "" } = answer.headers;
        const conditional = { ...headers, "if-none-match": etag };
        const again = await expectSameOnBothPaths(proxy, path, { query, headers: conditional });
        expect([answer.status, again.status]).toEqual([200, 304]);
      }),
      { numRuns: 10 },
    );
    expect(seen.length).toBeGreaterThan(0);
    expect(seen.filter((url) => !url.startsWith(`${path}/?`))).toEqual([]);
  },
);

test("answers of different paths to one question are kept apart", async () => {
  const proxy = await startProxy({ document: DOCUMENT });
  const query = "?userId=1&sessionId=1";
  const askBoth = async () => [
    (await ask(proxy, `/proxy${query}`, {})).body,
    (await ask(proxy, `/api/frontend${query}`, {})).body,
  ];
  const [plain, detailed] = await askBoth();
  expect(plain).not.toContain("feature_enabled");
  expect(detailed).toContain("feature_enabled");
  for (let round = 0; round < 3; round += 1) {
    // oxlint-disable-next-line no-await-in-loop -- from the second time on they are kept
    expect(await askBoth()).toEqual([plain, detailed]);
  }
});

test.each([
  ["no key", "?userId=1", { authorization: "" }],
  ["a wrong key", "?userId=1", { authorization: "wrong" }],
  ["a nested property", "?properties[a][b]=1", {}],
  ["properties as text", "?properties=x", {}],
  ["a bad percent-encoding", "?userId=%zz", {}],
  ["a time that is none", "?currentTime=soon", {}],
])("GET /proxy with %s is refused alike on both paths", async (_, query, headers) => {
  const proxy = await startProxy({ document: DOCUMENT });
  expect((await expectSameOnBothPaths(proxy, "/proxy", { query, headers })).status).toBeGreaterThan(
    399,
  );
});

test.each(["/proxy", "/api/frontend"])(
  "GET %s with a repeated field is served alike on both paths",
  async (path) => {
    const proxy = await startProxy({ document: DOCUMENT });
    const query = "?userId=1&userId=2&sessionId=1";
    expect((await expectSameOnBothPaths(proxy, path, { query, headers: {} })).status).toBe(200);
  },
);

test("GET /api/frontend with an invalid time is served alike on both paths", async () => {
  const proxy = await startProxy({ document: DOCUMENT });
  const query = "?userId=1&sessionId=1&currentTime=soon";
  const response = await expectSameOnBothPaths(proxy, "/api/frontend", { query, headers: {} });
  expect(response.status).toBe(200);
});

test("contexts that differ in one relevant field never share an answer", async () => {
  const { request } = await startProxy({ document: DOCUMENT });
  const plans = async (plan: string): Promise<boolean> => {
    const response = await request(`/proxy?userId=1&sessionId=1&properties[plan]=${plan}`);
    return (await togglesOf(response)).some(({ name }) => name === "plan");
  };
  for (let round = 0; round < 3; round++) {
    expect([await plans("pro"), await plans("free")]).toEqual([true, false]);
  }
});

test("callers at different addresses never share an answer that goes by the address", async () => {
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

test("an answer is not kept when it goes by chance, by the clock or by a custom strategy", async () => {
  let day = 0;
  const rules: readonly (readonly [string, object])[] = [
    ["chance", { name: "gradualRolloutRandom", parameters: { percentage: "50" } }],
    ["no id", half("no-id")],
    ["a custom strategy", { name: "odd-day" }],
  ];
  for (const [what, rule] of rules) {
    const strategies = [{ name: "odd-day", isEnabled: () => day++ % 2 === 1 }];
    const source = new DocumentSource({ features: [flag("flag", rule)] }, strategies);
    // oxlint-disable-next-line no-await-in-loop -- one proxy at a time
    const { request } = await startProxy({ source });
    const seen = new Set<number>();
    for (let round = 0; round < 200 && seen.size < 2; round++) {
      // oxlint-disable-next-line no-await-in-loop -- the same question again and again
      seen.add((await togglesOf(await request("/proxy?appName=a"))).length);
    }
    expect(seen.size, what).toBe(2);
  }
});

test("a new snapshot answers at once, whatever was kept of the old one", async () => {
  const { request, source } = await startProxy({ document: DOCUMENT });
  const count = async (): Promise<number> =>
    (await togglesOf(await request("/proxy?userId=1&sessionId=1"))).length;
  expect(await count()).toBeGreaterThan(1);
  source.replace({ features: [flag("only", { name: "default" })] });
  expect(await count()).toBe(1);
});

test("answers that are on their way at the same time keep their bodies apart", async () => {
  const features = Array.from({ length: 300 }, (_, index) =>
    flag(`half-${index}-${"x".repeat(1000)}`, half(`half-${index}`)),
  );
  const proxy = await startProxy({ document: { features } });
  const users = Array.from({ length: 100 }, (_, user) => `?userId=u${user}&sessionId=s`);
  const askAll = async (path: string): Promise<string[]> => {
    const answers = await Promise.all(users.map(async (user) => ask(proxy, path + user, {})));
    return answers.map(({ body }) => body);
  };
  const fast = await askAll("/proxy");
  expect(fast).toEqual(await askAll("/proxy/"));
  expect(new Set(fast).size).toBe(users.length);
});
