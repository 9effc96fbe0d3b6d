import { describe, expect, test } from "vitest";
import type { ContextEnricher } from "../src/core/context/enrichers.ts";
import { flag, withConstraint } from "./_documents.ts";
import { KEY, proxyConfig, startProxy } from "./_proxy.ts";
import { DocumentSource } from "./_source.ts";
import { startSharedCache } from "./_shared-cache.ts";

const SHARED = "public, max-age=2";
const PRIVATE = "private, max-age=2";

const withStrategy = (
  name: string,
  parameters: object = {},
  constraints: readonly object[] = [],
) => ({
  features: [flag("f", { strategies: [{ name, parameters, constraints }] })],
});
const rollout = (stickiness: string) =>
  withStrategy("flexibleRollout", { rollout: "50", stickiness, groupId: "g" });
const WITH_VARIANTS = {
  features: [
    flag("v", {
      variants: ["a", "b"].map((name) => ({ name, weight: 500, stickiness: "default" })),
    }),
  ],
};

/** Reads a customer from a cookie, as docs/background/security.md recommends. */
const FROM_COOKIE: readonly ContextEnricher[] = [
  (context, { headers }) => ({ ...context, userId: headers.cookie ?? "anonymous" }),
];

const FOR_CUSTOMER = {
  features: [flag("customers", { strategies: [withConstraint("userId", ["customer=1"])] })],
};
const FOR_ADDRESS = withStrategy("remoteAddress", { IPs: "10.0.0.1" });
const COIN = { name: "coin", isEnabled: () => true };
const FOR_PLAN = { features: [flag("pro", { strategies: [withConstraint("plan", ["pro"])] })] };
const AFTER_2020 = withStrategy("default", {}, [
  { contextName: "currentTime", operator: "DATE_AFTER", value: "2020-01-01" },
]);

describe("Cache-Control", () => {
  test.each([
    [
      "an enricher that reads a cookie",
      { document: FOR_CUSTOMER, config: { contextEnrichers: FROM_COOKIE } },
      { cookie: "customer=1" },
    ],
    [
      "a rule for the caller's address",
      { document: FOR_ADDRESS, config: { trustProxy: true as const } },
      { "x-forwarded-for": "10.0.0.1" },
    ],
    [
      "address lists",
      {
        config: {
          trustProxy: true as const,
          network: { ...proxyConfig().network, denyList: ["10.0.0.2"] },
        },
      },
      { "x-forwarded-for": "10.0.0.1" },
    ],
    ["random stickiness", { document: rollout("random") }, {}],
    ["a custom strategy", { source: new DocumentSource(withStrategy("coin"), [COIN]) }, {}],
    [
      "a random strategy",
      { document: withStrategy("gradualRolloutRandom", { percentage: "50" }) },
      {},
    ],
    ["a missing session id", { document: rollout("sessionId") }, {}],
    ["default stickiness without an id", { document: rollout("default") }, {}],
    ["variants without an id", { document: WITH_VARIANTS }, {}],
  ])("a shared cache stores no response that depends on %s", async (_name, setup, headers) => {
    const proxy = await startProxy(setup);
    const cache = await startSharedCache(proxy.url);
    for (let count = 0; count < 5; count += 1) {
      const init = { headers: { authorization: KEY, ...headers } };
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const response = await fetch(`${cache.url}/proxy`, init);
      expect([response.status, response.headers.get("cache-control")]).toEqual([200, PRIVATE]);
    }
    expect(cache.hits()).toBe(0);
  });

  test("a shared cache never sends the flags of a customer to a visitor", async () => {
    const proxy = await startProxy({
      document: FOR_CUSTOMER,
      config: { contextEnrichers: FROM_COOKIE },
    });
    const cache = await startSharedCache(proxy.url);
    const get = async (cookie: string) => {
      const headers = { authorization: KEY, cookie };
      return (await fetch(`${cache.url}/proxy`, { headers })).text();
    };
    expect(await get("customer=1")).toContain("customers");
    expect(await get("")).not.toContain("customers");
  });

  test.each([
    ["constant flags", "", { features: [flag("on"), flag("off", { enabled: false })] }],
    ["rules for a field", "?plan=pro", FOR_PLAN],
    ["a rollout, for a user", "?userId=7", rollout("default")],
    ["a rollout, for a session", "?sessionId=7", rollout("default")],
    ["sessions, with one", "?sessionId=7", rollout("sessionId")],
    ["variants, for a user", "?userId=7", WITH_VARIANTS],
    ["variants, for a session", "?sessionId=7", WITH_VARIANTS],
    ["an address in the query", "?remoteAddress=10.0.0.1", FOR_ADDRESS],
    ["the time", "", AFTER_2020],
  ])("a shared cache stores responses with %s", async (_name, query, document) => {
    const proxy = await startProxy({ document });
    const cache = await startSharedCache(proxy.url);
    // NOTE: later responses come from the cache of the proxy, which sends the same headers.
    for (let count = 0; count < 5; count += 1) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const direct = await proxy.request(`/proxy${query}`);
      expect(direct.headers.get("cache-control")).toBe(SHARED);
      const etag = direct.headers.get("etag") ?? "";
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const unchanged = await proxy.request(`/proxy${query}`, {
        headers: { "if-none-match": etag },
      });
      expect(unchanged.status).toBe(304);
      expect(unchanged.headers.get("cache-control")).toBe(SHARED);
    }
    const get = () => fetch(`${cache.url}/proxy${query}`, { headers: { authorization: KEY } });
    const first = await (await get()).text();
    expect(await (await get()).text()).toBe(first);
    expect(cache.hits()).toBe(1);
    // The key is in `Vary`.
    const rejected = await fetch(`${cache.url}/proxy${query}`, {
      headers: { authorization: "other" },
    });
    expect(rejected.status).toBe(401);
  });

  test("every client protocol says whether a response depends on the caller, in 304s too", async () => {
    const proxy = await startProxy({
      document: FOR_ADDRESS,
      config: { enableAllEndpoint: true, explainEnabled: true },
    });
    const address = { remoteAddress: "10.0.0.1" };
    const query = "?remoteAddress=10.0.0.1";
    for (const [path, body, bodyWithAddress, value] of [
      ["/proxy", { context: {} }, { context: address }, SHARED],
      ["/proxy", { context: {}, toggles: ["f"] }, { context: address, toggles: [] }, SHARED],
      ["/proxy/all", { context: {} }, { context: address }, SHARED],
      ["/proxy", "", query, SHARED],
      ["/proxy/all", "", query, SHARED],
      ["/api/frontend", "", query, "no-cache"],
      ["/api/frontend", {}, address, "no-cache"],
      ["/api/frontend/all", "", query, "no-cache"],
      ["/ofrep/v1/evaluate/flags", {}, { context: address }, "no-cache"],
    ] as const) {
      const send = (sent: object | string, headers: Record<string, string> = {}) =>
        typeof sent === "object"
          ? proxy.post(path, sent, headers)
          : proxy.request(path + sent, { headers });
      const expectHeader = async (sent: object | string, expected: string): Promise<void> => {
        const response = await send(sent);
        expect([response.status, response.headers.get("cache-control")]).toEqual([200, expected]);
        const unchanged = await send(sent, { "if-none-match": response.headers.get("etag") ?? "" });
        expect([unchanged.status, unchanged.headers.get("cache-control")]).toEqual([304, expected]);
      };
      // oxlint-disable-next-line no-await-in-loop -- one after the other, to see which one fails
      await expectHeader(body, `private, ${value.replace("public, ", "")}`);
      // oxlint-disable-next-line no-await-in-loop -- as above
      await expectHeader(bodyWithAddress, value);
    }
    for (const path of ["/api/frontend/features/f", "/ofrep/v1/evaluate/flags/f"]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other, to see which one fails
      const response = await proxy.post(path, {});
      expect(response.headers.get("cache-control")).toBe("private, no-cache");
    }
  });
});
