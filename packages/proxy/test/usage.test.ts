import { synchronized } from "./_upstream-source.ts";
import { UpstreamSource } from "../src/upstream/upstream-source.ts";
import { expect, test } from "vitest";
import { errorOf, startProxy, startProxyOver } from "./_proxy.ts";
import { startRecordingUpstream } from "./_recording-upstream.ts";

const REPORT = {
  appName: "shop",
  instanceId: "browser",
  bucket: {
    start: "2026-01-31T12:00:00.000Z",
    stop: "2026-01-31T12:01:00.000Z",
    toggles: { a: { yes: 2, no: 1, variants: { blue: 2 } }, b: { yes: 0, no: 3 } },
  },
  impactMetrics: [],
};

test("POST /proxy/client/metrics: 200, and the counts are forwarded under the client's name", async () => {
  const { post, source } = await startProxy();
  expect((await post("/proxy/client/metrics", REPORT)).status).toBe(200);
  expect(source.usage).toHaveLength(1);
  const [usage] = source.usage;
  expect(usage).toMatchObject({ appName: "shop" });
  expect(structuredClone(usage?.features)).toEqual({
    a: { yes: 2, no: 1, variants: { blue: 2 } },
    b: { yes: 0, no: 3 },
  });
});

test("POST /proxy/client/metrics: optional fields and variations of SDKs are accepted", async () => {
  const { post, source } = await startProxy();
  const bucket = {
    start: 1_700_000_000_000,
    toggles: { a: {}, b: { yes: 1.9, variants: null }, c: { no: null, yes: 3, variants: {} } },
  };
  for (const body of [
    { appName: "shop", bucket },
    { appName: "shop", bucket: { ...bucket, start: "soon" } },
    { appName: "shop", bucket: null },
    { appName: "shop" },
    { appName: "shop", bucket: { toggles: {} } },
  ]) {
    expect((await post("/proxy/client/metrics", body)).status, JSON.stringify(body)).toBe(200);
  }
  expect(source.usage).toHaveLength(2);
  expect(structuredClone(source.usage[0]?.features)).toEqual({
    a: { yes: 0, no: 0 },
    b: { yes: 1, no: 0 },
    c: { yes: 3, no: 0, variants: {} },
  });
});

test("POST /proxy/client/metrics: counts can be text, as in the old proxy", async () => {
  const { post, source } = await startProxy();
  const toggles = { a: { yes: "3", no: "0", variants: { blue: "2" } }, b: { no: "9".repeat(400) } };
  const response = await post("/proxy/client/metrics", { appName: "shop", bucket: { toggles } });
  expect(response.status).toBe(200);
  expect(structuredClone(source.usage[0]?.features)).toEqual({
    a: { yes: 3, no: 0, variants: { blue: 2 } },
    b: { yes: 0, no: 1e9 },
  });
});

test.each(["", null])(
  "POST /proxy/client/metrics: usage of the application %j counts as that of an unknown one",
  async (appName) => {
    const { post, source } = await startProxy();
    expect((await post("/proxy/client/metrics", { ...REPORT, appName })).status).toBe(200);
    expect(source.usage).toMatchObject([{ appName: "unknown" }]);
  },
);

test("POST /proxy/client/metrics: the cost does not depend on the counts, which are limited", async () => {
  const { post, source } = await startProxy();
  const toggles = { a: { yes: 1e9, no: 1e308, variants: { b: 5e9 } } };
  // A loop over the counts would not end within the time limit of the test.
  const response = await post("/proxy/client/metrics", { appName: "shop", bucket: { toggles } });
  expect(response.status).toBe(200);
  const counts = { yes: 1e9, no: 1e9, variants: { b: 1e9 } };
  expect(structuredClone(source.usage[0]?.features)).toEqual({ a: counts });
});

test("POST /proxy/client/metrics: unknown fields of a toggle are not forwarded", async () => {
  const { post, source } = await startProxy();
  const toggles = {
    a: { yes: 1, no: 0, note: "x" },
    b: { yes: 0, no: 1, variants: { c: 1 }, d: 2 },
  };
  await post("/proxy/client/metrics", { appName: "shop", bucket: { toggles } });
  expect(structuredClone(source.usage[0]?.features)).toEqual({
    a: { yes: 1, no: 0 },
    b: { yes: 0, no: 1, variants: { c: 1 } },
  });
});

test.each([`{"yes":1,"no":0,"variants":{"__proto__":1}}`, `{"yes":1,"variants":{"__proto__":1}}`])(
  "POST /proxy/client/metrics: __proto__ is an ordinary name, also in %s",
  async (toggle) => {
    const { request, source } = await startProxy();
    const body = `{"appName":"shop","bucket":{"toggles":{"__proto__":${toggle}}}}`;
    const headers = { "content-type": "application/json" };
    const response = await request("/proxy/client/metrics", { method: "POST", headers, body });
    expect(response.status).toBe(200);
    const [[name, usage] = []] = Object.entries(source.usage[0]?.features ?? {});
    expect([name, usage?.yes, Object.entries(usage?.variants ?? {})]).toEqual([
      "__proto__",
      1,
      [["__proto__", 1]],
    ]);
    expect(Reflect.get({}, "yes")).toBeUndefined();
  },
);

test.each([
  [{}, "appName"],
  [{ appName: 1 }, "appName"],
  [{ appName: "a", bucket: 1 }, "bucket"],
  [{ appName: "a", bucket: {} }, "bucket.toggles"],
  [{ appName: "a", bucket: { toggles: [] } }, "bucket.toggles"],
  [{ appName: "a", bucket: { toggles: { t: 1 } } }, "bucket.toggles.t"],
  [{ appName: "a", bucket: { toggles: { t: { yes: -1 } } } }, "bucket.toggles.t.yes"],
  [{ appName: "a", bucket: { toggles: { t: { yes: "-1" } } } }, "bucket.toggles.t.yes"],
  [{ appName: "a", bucket: { toggles: { t: { yes: "1.5" } } } }, "bucket.toggles.t.yes"],
  [{ appName: "a", bucket: { toggles: { t: { yes: "many" } } } }, "bucket.toggles.t.yes"],
  [{ appName: "a", bucket: { toggles: { t: { yes: "" } } } }, "bucket.toggles.t.yes"],
  [{ appName: "a", bucket: { toggles: { t: { variants: { v: -1 } } } } }, "variants.v"],
])("POST /proxy/client/metrics: 400 naming the field for %j", async (body, path) => {
  const { post, source } = await startProxy();
  const response = await post("/proxy/client/metrics", body);
  expect(response.status).toBe(400);
  expect((await errorOf(response)).error).toContain(path);
  expect(source.usage).toEqual([]);
});

test.each([
  [30_000, "30"],
  [1500, "2"],
  [10, "1"],
  [3_600_000, "60"],
])(
  "POST /proxy/client/metrics: 503 when the usage buffer is full, with an interval of %i ms",
  async (metricsIntervalMs, seconds) => {
    const { post, source, url } = await startProxy({ config: { metricsIntervalMs } });
    source.accepts = false;
    const refused = await post("/proxy/client/metrics", REPORT);
    expect(refused.status).toBe(503);
    expect(refused.headers.get("retry-after")).toBe(seconds);
    expect(refused.headers.get("cache-control")).toBe("no-store");
    expect((await errorOf(refused)).error).toMatch(/waiting to be sent.*FLAGS_METRICS_INTERVAL/);
    for (const accepts of [true, undefined]) {
      source.accepts = accepts;
      expect((await post("/proxy/client/metrics", REPORT)).status).toBe(200);
    }
    const metrics = await fetch(`${url}/proxy/internal-backstage/prometheus`);
    const text = await metrics.text();
    expect(text).toContain("\nflags_proxy_usage_refused_total 1\n");
    expect(text).toContain("\nflags_proxy_usage_entries_total 4\n");
  },
);

const LONG = "x".repeat(256);
const numbered = (count: number, value: unknown): Record<string, unknown> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [index, value]));

test.each([
  [{ bucket: { toggles: { a: { variants: numbered(101, 1) } } } }, /more than 100 variants/],
  [
    { bucket: { toggles: numbered(1000, { variants: numbered(50, 1) }) } },
    /more than 50000 flags and variants: send several/,
  ],
])(
  "POST /proxy/client/metrics: 400 for a report that exceeds a limit (%#)",
  async (report, message) => {
    const { post, source } = await startProxy();
    const response = await post("/proxy/client/metrics", { appName: "shop", ...report });
    expect(response.status).toBe(400);
    expect((await errorOf(response)).error).toMatch(message);
    expect(source.usage).toEqual([]);
  },
);

test.each([
  [LONG, LONG.slice(1)],
  ["a\0", "a\uFFFD"],
])("POST /proxy/client/metrics: the application %j is counted as %j", async (appName, counted) => {
  const { post, source } = await startProxy();
  const report = { appName, bucket: { toggles: { a: { yes: 1, no: 0 } } } };
  expect((await post("/proxy/client/metrics", report)).status).toBe(200);
  expect(source.usage[0]?.appName).toBe(counted);
});

test("POST /proxy/client/metrics: flags and variants with invalid names are ignored and counted", async () => {
  const { post, request, source } = await startProxy();
  const variants = { blue: 1, "": 1, [LONG]: 1, "a\0": 1 };
  const toggles = {
    a: { yes: 1, no: 0, variants },
    "": { yes: 1 },
    [LONG]: { yes: 1 },
    "a\0": { yes: 1 },
  };
  const response = await post("/proxy/client/metrics", { appName: "shop", bucket: { toggles } });
  expect(response.status).toBe(200);
  expect(structuredClone(source.usage[0]?.features)).toEqual({
    a: { yes: 1, no: 0, variants: { blue: 1 } },
  });
  const metrics = await (await request("/proxy/internal-backstage/prometheus")).text();
  expect(metrics).toContain("flags_proxy_usage_invalid_total 6");
});

test("POST /proxy/client/metrics: acknowledged usage is delivered", async () => {
  const upstream = await startRecordingUpstream();
  const client = new UpstreamSource({ url: upstream.url, appName: "p", metricsIntervalMs: 60_000 });
  await synchronized(client);
  const { post } = await startProxyOver(client);
  const bucket = { toggles: { a: { yes: 1 } } };
  let acknowledged = 0;
  for (let index = 0; index < 20; index += 1) {
    const response = await post("/proxy/client/metrics", { appName: `app-${index}`, bucket });
    if (response.status === 200) acknowledged += 1;
    await response.text();
  }
  await client.close();
  expect(acknowledged).toBe(20);
  const reports = upstream.requests.filter(({ path }) => path === "/api/client/metrics");
  expect(reports).toHaveLength(acknowledged);
});

test("POST /proxy/client/metrics: the start in a report does not move the usage of other clients", async () => {
  const upstream = await startRecordingUpstream();
  const client = new UpstreamSource({ url: upstream.url, appName: "p", metricsIntervalMs: 60_000 });
  await synchronized(client);
  const { post } = await startProxyOver(client);
  const beforeMs = Date.now();
  for (const start of ["1970-01-01T00:00:00Z", 0, "soon", new Date().toISOString()]) {
    const bucket = { start, toggles: { a: { yes: 1 } } };
    // oxlint-disable-next-line no-await-in-loop -- the earliest start comes first
    expect((await post("/proxy/client/metrics", { appName: "shop", bucket })).status).toBe(200);
  }
  await client.close();
  const [report, ...others] = upstream.requests
    .filter(({ path }) => path === "/api/client/metrics")
    .map(({ body }) => JSON.parse(body) as { readonly bucket: typeof REPORT.bucket });
  expect(others).toEqual([]);
  expect(report?.bucket.toggles).toMatchObject({ a: { yes: 4 } });
  expect(Date.parse(report?.bucket.start ?? "")).toBeGreaterThanOrEqual(beforeMs);
});

test("POST /proxy/client/metrics: 400 for infinite counts and too many names", async () => {
  const { post, request, source } = await startProxy();
  const headers = { "content-type": "application/json" };
  const body = '{"appName":"a","bucket":{"toggles":{"t":{"yes":1e400}}}}';
  const init = { method: "POST", headers, body };
  expect((await request("/proxy/client/metrics", init)).status).toBe(400);
  const toggles = Object.fromEntries(Array.from({ length: 10_001 }, (_, index) => [index, {}]));
  const tooMany = await post("/proxy/client/metrics", { appName: "a", bucket: { toggles } });
  expect(tooMany.status).toBe(400);
  expect((await errorOf(tooMany)).error).toBe(
    "Bad request: `bucket.toggles` has more than 10000 entries: send fewer, if necessary in several requests",
  );
  expect(source.usage).toEqual([]);
});

test.each([
  [1, "bucket", "must be an object or null"],
  [{ toggles: { t: { variants: 1 } } }, "bucket.toggles.t.variants", "must be an object or null"],
  [{ toggles: { t: { yes: true } } }, "bucket.toggles.t.yes", "must be a number, a string or null"],
  [{ toggles: { t: { yes: "1.5" } } }, "bucket.toggles.t.yes", "must consist of digits"],
  [{}, "bucket.toggles", "is required"],
])(
  "POST /proxy/client/metrics: reports one problem for the bucket %j",
  async (bucket, path, message) => {
    const { post } = await startProxy();
    const response = await post("/proxy/client/metrics", { appName: "a", bucket });
    expect((await errorOf(response)).validation).toEqual([{ path, message }]);
  },
);

test("POST /proxy/client/register: 200 for any registration with the name of an application", async () => {
  const { post, request } = await startProxy();
  for (const body of [
    { appName: "shop", interval: 1000, started: "2026-01-31T12:00:00Z", strategies: ["default"] },
    { appName: "__proto__" },
  ]) {
    expect((await post("/proxy/client/register", body)).status).toBe(200);
  }
  for (const body of [{}, { appName: null }, { appName: "" }]) {
    for (const path of ["/proxy", "/api/frontend"]) {
      const response = await post(`${path}/client/register`, body);
      expect(response.status).toBe(400);
      expect((await errorOf(response)).error).toContain("appName");
    }
  }
  const init = { method: "POST", headers: { "content-type": "application/json" }, body: "[" };
  expect((await request("/proxy/client/register", init)).status).toBe(400);
});
