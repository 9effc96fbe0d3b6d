import { describe, expect, test } from "vitest";
import { readEvents } from "../../server-kit/test/_event-reader.ts";
import { readDefinitions, type DeltaEvent } from "./_stream-events.ts";
import { flag } from "./_documents.ts";
import {
  errorOf,
  KEY,
  OTHER_KEY,
  SERVER_TOKEN,
  startProxy,
  type TestProxy,
  shareProxies,
} from "./_proxy.ts";

const startShared = shareProxies();

const MODERN = { authorization: SERVER_TOKEN, "unleash-client-spec": "5.2.0" };
const SEGMENT = { id: 1, name: "gold", constraints: [] };
const DOCUMENT = {
  version: 2,
  features: [flag("shop.b"), flag("shop.a", { project: "shop" }), flag("other")],
  segments: [SEGMENT],
};
const without = (name: string) => ({
  ...DOCUMENT,
  features: DOCUMENT.features.filter((feature) => feature.name !== name),
});

async function pollDelta({ url }: TestProxy, etag?: string, query = "") {
  const response = await fetch(`${url}/api/client/delta${query}`, {
    headers: { ...MODERN, ...(etag !== undefined && { "if-none-match": etag }) },
  });
  const text = await response.text();
  const { events } = (text === "" ? { events: [] } : JSON.parse(text)) as {
    readonly events: readonly DeltaEvent[];
  };
  return { status: response.status, etag: response.headers.get("etag") ?? "", events, response };
}

const namesOf = (events: readonly DeltaEvent[]): readonly unknown[] =>
  events.map(({ type, feature, featureName, segment, segmentId, features }) => [
    type,
    feature?.name ?? featureName ?? segment?.id ?? segmentId ?? features?.map(({ name }) => name),
  ]);

test.each([
  "/api/client/features",
  "/api/client/features/shop.a",
  "/api/client/delta",
  "/api/client/streaming",
  "/proxy/client/features/shop.a",
  "/proxy/client/delta",
  "/proxy/client/streaming",
])("GET %s: only for server tokens", async (path) => {
  const { url } = await startShared({ document: DOCUMENT });
  for (const authorization of [KEY, "", "Bearer x"]) {
    const response = await fetch(url + path, { headers: { authorization } });
    expect(response.status).toBe(401);
    expect((await errorOf(response)).error).toContain("server token");
  }
});

test("GET /api/client/features: same response as /proxy/client/features, below the base path", async () => {
  const { url } = await startShared({ document: DOCUMENT, config: { basePath: "/base" } });
  const [ours, theirs] = await Promise.all(
    ["api", "proxy"].map((path) =>
      fetch(`${url}/base/${path}/client/features`, { headers: MODERN }),
    ),
  );
  expect(await ours?.json()).toEqual(DOCUMENT);
  expect(ours?.headers.get("etag")).toBe(theirs?.headers.get("etag"));
});

describe("GET /api/client/features/{name}", () => {
  const name = "a flag/é";
  const document = {
    ...DOCUMENT,
    features: [flag(name, { strategies: [{ name: "default", segments: [1] }] })],
    segments: [{ ...SEGMENT, constraints: [{ contextName: "plan", operator: "IN", values: [] }] }],
  };
  const path = `/api/client/features/${encodeURIComponent(name)}`;

  test("responds with the definition, and 304 until it changes", async () => {
    const { url, source } = await startProxy({ document });
    const response = await fetch(url + path, { headers: MODERN });
    expect(await response.json()).toEqual(document.features[0]);
    expect(response.headers.get("vary")).toContain("unleash-client-spec");
    const conditional = { ...MODERN, "if-none-match": response.headers.get("etag") ?? "" };
    expect((await fetch(url + path, { headers: conditional })).status).toBe(304);
    source.replace({ ...document, features: [flag(name)] });
    expect((await fetch(url + path, { headers: conditional })).status).toBe(200);
  });

  test("inlines the constraints of segments for an SDK that does not support segments", async () => {
    const { url } = await startShared({ document });
    const response = await fetch(url + path, { headers: { authorization: SERVER_TOKEN } });
    expect(await response.json()).toMatchObject({
      strategies: [{ name: "default", constraints: document.segments[0]?.constraints }],
    });
  });

  test("responds with a 404 for a flag that does not exist", async () => {
    const { url } = await startShared({ document });
    const response = await fetch(`${url}/api/client/features/none`, { headers: MODERN });
    expect(response.status).toBe(404);
    expect((await errorOf(response)).error).toContain("There is no flag called `none`");
  });
});

describe("GET /api/client/delta", () => {
  test("sends the complete state in a fixed order, and then 304 until something changes", async () => {
    const proxy = await startProxy({ document: DOCUMENT });
    const all = await pollDelta(proxy);
    expect(all.events).toEqual([
      {
        eventId: Number(all.etag.slice(1, -1)),
        type: "hydration",
        features: DOCUMENT.features.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
        segments: [SEGMENT],
      },
    ]);
    expect(all.etag).toMatch(/^"\d{1,10}"$/);
    const again = await pollDelta(proxy, all.etag);
    expect([again.status, again.etag]).toEqual([304, all.etag]);
    proxy.source.replace({ ...DOCUMENT, features: DOCUMENT.features.toReversed() });
    expect((await pollDelta(proxy, all.etag)).status).toBe(304);
  });

  test("sends changes: updated segments before flags, and removed segments after flags", async () => {
    const proxy = await startProxy({ document: DOCUMENT });
    const { etag } = await pollDelta(proxy);
    proxy.source.replace({
      ...DOCUMENT,
      features: [flag("new"), flag("shop.a", { enabled: false }), flag("other")],
      segments: [{ id: 2, constraints: [] }],
    });
    const changes = await pollDelta(proxy, etag);
    expect(namesOf(changes.events)).toEqual([
      ["segment-updated", 2],
      ["feature-updated", "new"],
      ["feature-updated", "shop.a"],
      ["feature-removed", "shop.b"],
      ["segment-removed", 1],
    ]);
    expect(new Set(changes.events.map(({ eventId }) => `"${eventId}"`))).toEqual(
      new Set([changes.etag]),
    );
  });

  test("sends the sum of several changes, and 304 if an earlier state is current again", async () => {
    const proxy = await startProxy({ document: DOCUMENT });
    const first = await pollDelta(proxy);
    proxy.source.replace(without("other"));
    const second = await pollDelta(proxy, first.etag);
    proxy.source.replace(DOCUMENT);
    expect((await pollDelta(proxy, first.etag)).status).toBe(304);
    expect(namesOf((await pollDelta(proxy, second.etag)).events)).toEqual([
      ["feature-updated", "other"],
    ]);
  });

  test("continues at another replica that has had the same state", async () => {
    const one = await startProxy({ document: DOCUMENT });
    const other = await startProxy({ document: { ...DOCUMENT, features: [flag("earlier")] } });
    await pollDelta(other);
    other.source.replace({ ...DOCUMENT, features: DOCUMENT.features.toReversed() });
    other.source.replace(without("other"));
    const { etag } = await pollDelta(one);
    expect(namesOf((await pollDelta(other, etag)).events)).toEqual([["feature-removed", "other"]]);
  });

  test.each(['"1"', "1", '"no number"', "*", '"999999999999999"'])(
    "sends the complete state if the given state is not known: %s",
    async (etag) => {
      const proxy = await startProxy({ document: DOCUMENT });
      const { status, events } = await pollDelta(proxy, etag);
      expect(status).toBe(200);
      expect(events.map(({ type }) => type)).toEqual(["hydration"]);
    },
  );

  test.each([
    ["?namePrefix=shop.", ["shop.a", "shop.b"]],
    ["?project=shop", ["shop.a"]],
    ["?project=shop&project=default&namePrefix=o", ["other"]],
  ])("the delta contains only selected flags: %s", async (query, names) => {
    const proxy = await startProxy({ document: DOCUMENT });
    const all = await pollDelta(proxy, undefined, query);
    expect(namesOf(all.events)).toEqual([["hydration", names]]);
    proxy.source.replace({ ...DOCUMENT, features: [flag("elsewhere"), ...DOCUMENT.features] });
    expect((await pollDelta(proxy, all.etag, query)).status).toBe(304);
  });

  test("supports flags with any name", async () => {
    const features = ["__proto__", "constructor", "toString"].map((name) => flag(name));
    const proxy = await startProxy({ document: { features: [flag("__proto__")] } });
    const { etag } = await pollDelta(proxy);
    proxy.source.replace({ features });
    expect(namesOf((await pollDelta(proxy, etag)).events)).toEqual([
      ["feature-updated", "constructor"],
      ["feature-updated", "toString"],
    ]);
  });
});

describe("GET /api/client/streaming", () => {
  test("responds with a 503 at the limit, which leaves connections for clients and other requests", async () => {
    const { url } = await startProxy({ document: DOCUMENT, config: { maxConnections: 8 } });
    const open = () => readDefinitions(`${url}/api/client/streaming`, MODERN);
    const headers = { "content-type": "application/json", accept: "text/event-stream" };
    const openAsClient = (authorization: string) =>
      readEvents(`${url}/proxy/stream`, {
        method: "POST",
        body: JSON.stringify({ context: {} }),
        headers: { ...headers, authorization },
      });
    for (const key of [KEY, KEY, OTHER_KEY, OTHER_KEY]) await openAsClient(key);
    await expect(openAsClient(OTHER_KEY)).rejects.toThrow("503");
    for (let count = 0; count < 2; count += 1) await open();
    await expect(open()).rejects.toThrow("503");
  });

  test("is compressed with gzip if the client accepts that", async () => {
    const { url, source } = await startProxy({ document: DOCUMENT });
    for (const [accepted, coding] of [
      ["gzip, br", "gzip"],
      ["identity", null],
    ] as const) {
      const stream = await readDefinitions(`${url}/api/client/streaming`, {
        ...MODERN,
        "accept-encoding": accepted,
      });
      expect(stream.headers.get("content-encoding")).toBe(coding);
      expect(stream.headers.get("vary")).toBe("authorization, accept-encoding");
      await stream.next();
      const next = stream.next();
      source.replace({ ...DOCUMENT, features: [flag(`for-${coding}`)] });
      expect(JSON.stringify(await next)).toContain(`for-${coding}`);
    }
  });

  const open = ({ url }: TestProxy, query = "", headers = {}) =>
    readDefinitions(`${url}/api/client/streaming${query}`, { ...MODERN, ...headers });

  test("sends the complete state and then each change, without CORS headers", async () => {
    const proxy = await startProxy({ document: DOCUMENT });
    const stream = await open(proxy, "", { origin: "http://elsewhere.test" });
    expect(stream.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(stream.headers.get("access-control-allow-origin")).toBeNull();
    expect(stream.headers.get("vary")).toContain("authorization");
    const first = await stream.next();
    expect([first.name, namesOf(first.events)]).toEqual([
      "unleash-connected",
      [["hydration", ["other", "shop.a", "shop.b"]]],
    ]);
    proxy.source.replace(without("other"));
    const second = await stream.next();
    expect([second.name, namesOf(second.events)]).toEqual([
      "unleash-updated",
      [["feature-removed", "other"]],
    ]);
    expect(second.id).toBe(String(second.events[0]?.eventId));
    expect(`"${second.id}"`).toBe((await pollDelta(proxy)).etag);
  });

  test("sends no event if the selected flags do not change", async () => {
    const proxy = await startProxy({ document: DOCUMENT });
    const stream = await open(proxy, "?namePrefix=shop.");
    await stream.next();
    proxy.source.replace(without("other"));
    proxy.source.replace({ ...without("other"), features: without("other").features.toReversed() });
    proxy.source.replace(without("shop.a"));
    expect(namesOf((await stream.next()).events)).toEqual([["feature-removed", "shop.a"]]);
  });

  test("continues after Last-Event-ID, even at another replica", async () => {
    const one = await startProxy({ document: DOCUMENT });
    const other = await startProxy({ document: DOCUMENT });
    const { id } = await (await open(one)).next();
    await pollDelta(other);
    const idle = await open(other, "", { "last-event-id": id });
    expect((await idle.next()).events).toEqual([]);
    other.source.replace(without("other"));
    expect(namesOf((await idle.next()).events)).toEqual([["feature-removed", "other"]]);
    const late = await open(other, "", { "last-event-id": id });
    expect(namesOf((await late.next()).events)).toEqual([["feature-removed", "other"]]);
    const lost = await open(other, "", { "last-event-id": "7" });
    expect((await lost.next()).events.map(({ type }) => type)).toEqual(["hydration"]);
  });

  test("reports the number of open streams, and ends them with a reconnection delay when the proxy stops", async () => {
    const proxy = await startProxy({ document: DOCUMENT });
    const stream = await open(proxy);
    await stream.next();
    const metrics = await proxy.request("/proxy/internal-backstage/prometheus");
    expect(await metrics.text()).toContain("\nflags_proxy_definition_streams 1\n");
    const closed = proxy.close();
    await stream.ended;
    expect(stream.retries).toEqual([expect.toSatisfy((delayMs: number) => delayMs < 10_000)]);
    // The age after the first event.
    expect(stream.comments()).toBe(1);
    await closed;
  });
});

describe("usage of server SDKs", () => {
  const post = ({ url }: TestProxy, path: string, body: unknown, authorization = SERVER_TOKEN) =>
    fetch(`${url}/api/client/${path}`, {
      method: "POST",
      headers: { authorization, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  const metric = { featureName: "a", appName: "shop", environment: "x", yes: 1, no: 2 };

  test("POST /api/client/register and /api/client/metrics: 202 without a body", async () => {
    const proxy = await startProxy();
    const registered = await post(proxy, "register", { appName: "shop", strategies: [] });
    expect([registered.status, await registered.text()]).toEqual([202, ""]);
    const bucket = { start: "2026-01-01T00:00:00Z", toggles: { a: { yes: 3, no: 1 } } };
    const counted = await post(proxy, "metrics", { appName: "shop", bucket });
    expect([counted.status, await counted.text()]).toEqual([202, ""]);
    expect(proxy.source.usage).toEqual([
      {
        appName: "shop",
        startMs: Date.parse("2026-01-01T00:00:00Z"),
        features: { a: { yes: 3, no: 1 } },
        quotaId: expect.any(String) as string,
      },
    ]);
  });

  test("POST /api/client/metrics/bulk: one report per application and hour", async () => {
    const proxy = await startProxy();
    const [early, late] = ["2026-01-01T00:00:00.000Z", "2026-01-01T01:00:00.000Z"];
    const response = await post(proxy, "metrics/bulk", {
      applications: [{ appName: "shop" }],
      metrics: [
        { ...metric, timestamp: early, variants: { blue: 1 } },
        { ...metric, timestamp: early, variants: { blue: 2, red: 1 } },
        { ...metric, timestamp: late, featureName: "__proto__" },
        { ...metric, timestamp: early, appName: "app", yes: undefined },
      ],
    });
    expect([response.status, await response.text()]).toEqual([202, ""]);
    const quotaId = expect.any(String) as string;
    expect(JSON.parse(JSON.stringify(proxy.source.usage))).toEqual([
      {
        quotaId,
        appName: "shop",
        startMs: Date.parse(early),
        features: { a: { yes: 2, no: 4, variants: { blue: 3, red: 1 } } },
      },
      {
        quotaId,
        appName: "shop",
        startMs: Date.parse(late),
        features: JSON.parse('{"__proto__":{"yes":1,"no":2}}') as object,
      },
      { quotaId, appName: "app", startMs: Date.parse(early), features: { a: { yes: 0, no: 2 } } },
    ]);
  });

  test.each([
    [{}, "metrics"],
    [{ metrics: 1 }, "metrics"],
    [{ metrics: [{ ...metric, yes: -1 }] }, "metrics.0"],
    [{ metrics: [{ ...metric, featureName: "" }] }, "metrics.0"],
    [{ metrics: [{ ...metric, appName: undefined }, "x"] }, "metrics.0"],
    [{ metrics: [{ ...metric, featureName: "x".repeat(256) }] }, "metrics.0"],
    [{ metrics: Array.from({ length: 10_001 }, () => metric) }, "metrics"],
  ])("POST /api/client/metrics/bulk: 400 that names the invalid field (%#)", async (body, path) => {
    const proxy = await startProxy();
    const response = await post(proxy, "metrics/bulk", body);
    expect(response.status).toBe(400);
    expect((await errorOf(response)).validation).toMatchObject([{ path }]);
    expect(proxy.source.usage).toEqual([]);
  });

  test("POST /api/client/metrics/bulk: valid entries are accepted despite invalid ones", async () => {
    const proxy = await startProxy();
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [index, 1]));
    const metrics = [
      { ...metric, featureName: "" },
      { ...metric, appName: "" },
      { ...metric, yes: -1 },
      { ...metric, featureName: "x".repeat(256) },
      { ...metric, featureName: "a\0b" },
      { ...metric, variants: many },
      null,
      metric,
      [],
    ];
    const response = await post(proxy, "metrics/bulk", { applications: null, metrics });
    expect(response.status).toBe(202);
    expect(JSON.parse(JSON.stringify(proxy.source.usage))).toMatchObject([
      { appName: "shop", features: { a: { yes: 1, no: 2 } } },
    ]);
    const scraped = await proxy.request("/proxy/internal-backstage/prometheus");
    expect(await scraped.text()).toContain("\nflags_proxy_usage_invalid_total 8\n");
  });

  test("503 if the usage buffer is full, 401 for a client key", async () => {
    const proxy = await startProxy();
    proxy.source.accepts = false;
    const refused = await post(proxy, "metrics/bulk", { metrics: [metric] });
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "30"]);
    for (const path of ["register", "metrics", "metrics/bulk"]) {
      expect((await post(proxy, path, {}, KEY)).status).toBe(401);
    }
  });
});
