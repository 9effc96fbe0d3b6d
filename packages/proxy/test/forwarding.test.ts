import { synchronized } from "./_upstream-source.ts";
import { UpstreamSource } from "../src/upstream/upstream-source.ts";
import { InMemStorageProvider, Unleash } from "unleash-client";
import { InMemoryStorageProvider, UnleashClient } from "unleash-proxy-client";
import { describe, expect, onTestFinished, test } from "vitest";
import { SAMPLE } from "./_documents.ts";
import { sendRaw } from "./_flag-requests.ts";
import { type FeatureServer, startFeatureServer } from "./_feature-server.ts";
import { KEY, OTHER_KEY, SERVER_TOKEN, startProxyOver, type RunningApp } from "./_proxy.ts";
import { destroyUnleash } from "./_unleash-client.ts";

const VIA = [{ appName: "flags-proxy", instanceId: "one" }];

interface Metric {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly samples: readonly Readonly<Record<string, unknown>>[];
}

interface BulkBody {
  readonly applications: readonly Readonly<Record<string, unknown>>[];
  readonly metrics: readonly unknown[];
  readonly impactMetrics?: readonly Metric[];
}

interface System extends RunningApp {
  readonly upstream: FeatureServer;
  readonly client: UpstreamSource;
}

/** Starts an upstream and a proxy with a client of it. With an opaque token it sends no bulk reports. */
async function startSystem(
  token = "*:development.secret",
  metricsIntervalMs = 20,
): Promise<System> {
  const upstream = await startFeatureServer(SAMPLE);
  const client = new UpstreamSource({
    url: upstream.url,
    appName: "flags-proxy",
    instanceId: "one",
    token,
    refreshIntervalMs: 10_000,
    metricsIntervalMs,
  });
  onTestFinished(() => client.close());
  const proxy = await startProxyOver(client);
  await synchronized(client);
  return { upstream, client, ...proxy };
}

const bulks = ({ upstream }: System): readonly BulkBody[] =>
  (upstream.posts.get("/api/client/metrics/bulk") ?? []) as readonly BulkBody[];
const applicationsOf = (system: System) =>
  bulks(system).flatMap(({ applications }) => applications);
const impactOf = (system: System): readonly Metric[] =>
  bulks(system).flatMap(({ impactMetrics = [] }) => impactMetrics);

function startBrowser(url: string): UnleashClient {
  const client = new UnleashClient({
    url: `${url}/proxy`,
    clientKey: KEY,
    appName: "shop",
    environment: "development",
    refreshInterval: 60,
    metricsInterval: 0.1,
    metricsIntervalInitial: 0.1,
    storageProvider: new InMemoryStorageProvider(),
  });
  onTestFinished(() => client.stop());
  return client;
}

async function startServerSdk(url: string): Promise<Unleash> {
  const client = new Unleash({
    url: `${url}/api`,
    appName: "backend",
    instanceId: "host-1",
    customHeaders: { Authorization: SERVER_TOKEN },
    refreshInterval: 60_000,
    metricsInterval: 100,
    storageProvider: new InMemStorageProvider(),
  });
  onTestFinished(() => destroyUnleash(client));
  await new Promise((resolve) => client.once("synchronized", resolve));
  return client;
}

describe("impact metrics are forwarded", () => {
  test("counters and histograms of unleash-proxy-client are forwarded in bulk", async () => {
    const system = await startSystem();
    const client = startBrowser(system.url);
    await client.start();
    client.impactMetrics.defineCounter("purchases", "Purchases");
    client.impactMetrics.defineHistogram("latency", "Latency", [0.1, 1]);
    client.impactMetrics.incrementCounter("purchases", 3);
    client.impactMetrics.observeHistogram("latency", 0.5);
    const find = (name: string) => impactOf(system).find((metric) => metric.name === name);
    await expect.poll(() => find("latency")).toBeDefined();
    const labels = { appName: "shop", environment: "development" };
    expect(find("purchases")).toEqual({
      name: "purchases",
      help: "Purchases",
      type: "counter",
      samples: [{ labels, value: 3 }],
    });
    expect(find("latency")?.samples).toEqual([
      {
        labels,
        count: 1,
        sum: 0.5,
        buckets: [
          { le: 0.1, count: 0 },
          { le: 1, count: 1 },
          { le: "+Inf", count: 1 },
        ],
      },
    ]);
  });

  test("metrics of unleash-client are forwarded without bulk reports", async () => {
    const system = await startSystem("opaque");
    const client = await startServerSdk(system.url);
    client.impactMetrics.defineCounter("jobs", "Jobs");
    client.impactMetrics.incrementCounter("jobs", 2);
    client.impactMetrics.defineGauge("queue", "Length of the queue");
    client.impactMetrics.updateGauge("queue", 7);
    const reports = () =>
      (system.upstream.posts.get("/api/client/metrics") ?? []) as readonly {
        readonly impactMetrics?: readonly Metric[];
      }[];
    const values = () =>
      reports()
        .flatMap(({ impactMetrics = [] }) => impactMetrics)
        .flatMap(({ name, samples }) => samples.map(({ value }) => [name, value]));
    await expect.poll(values).toContainEqual(["jobs", 2]);
    expect(values()).toContainEqual(["queue", 7]);
    expect(bulks(system)).toEqual([]);
  });

  test("metrics are forwarded after the upstream has recovered, added to those reported in the meantime", async () => {
    const system = await startSystem();
    const report = {
      appName: "shop",
      impactMetrics: [
        { name: "c", help: "", type: "counter", samples: [{ labels: {}, value: 1 }] },
      ],
    };
    system.upstream.failure = 503;
    for (let round = 1; round <= 3; round += 1) {
      const failed = new Promise<void>((resolve) => {
        system.client.on("failure", () => resolve());
      });
      // oxlint-disable-next-line no-await-in-loop -- a report after each failure
      expect((await system.post("/proxy/client/metrics", report)).status).toBe(200);
      // oxlint-disable-next-line no-await-in-loop -- a report after each failure
      await failed;
    }
    system.upstream.failure = undefined;
    const total = () =>
      impactOf(system)
        .flatMap(({ samples }) => samples)
        .reduce((sum, { value }) => sum + Number(value), 0);
    await expect.poll(total).toBe(3);
  });

  test("metrics of many reports are added up", async () => {
    const system = await startSystem("*:development.secret", 60_000);
    const report = (value: number, gauge: number) => ({
      appName: "shop",
      impactMetrics: [
        { name: "c", help: "", type: "counter", samples: [{ labels: { a: "1" }, value }] },
        { name: "g", help: "", type: "gauge", samples: [{ labels: {}, value: gauge }] },
      ],
    });
    for (let index = 1; index <= 50; index += 1) {
      // oxlint-disable-next-line no-await-in-loop -- the order matters for gauges
      const response = await system.post("/proxy/client/metrics", report(2, index));
      expect(response.status).toBe(200);
    }
    await system.client.close();
    expect(impactOf(system).map(({ name, samples }) => [name, samples[0]?.["value"]])).toEqual([
      ["c", 100],
      ["g", 50],
    ]);
  });

  test("invalid metrics are not forwarded, and do not affect the usage in the same report", async () => {
    const system = await startSystem("*:development.secret", 60_000);
    const sample = { labels: {}, value: 1 };
    const valid = { name: "ok", help: "", type: "counter", samples: [sample, { value: "x" }] };
    const bad = [
      { ...valid, name: "" },
      { ...valid, name: "x".repeat(256) },
      { ...valid, name: "a\0b" },
      { ...valid, type: "summary" },
      { ...valid, samples: {} },
      {
        ...valid,
        samples: [
          { labels: { a: 1 }, value: 1 },
          { labels: {}, value: 1e308 },
        ],
      },
      { ...valid, type: "histogram", samples: [{ labels: {}, count: 1, sum: 1, buckets: [1] }] },
      7,
      null,
    ];
    const bucket = { toggles: { on: { yes: 1, no: 0 } } };
    for (const impactMetrics of [[...bad, valid], { no: "list" }, null, 5]) {
      const body = { appName: "shop", bucket, impactMetrics };
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect((await system.post("/proxy/client/metrics", body)).status).toBe(200);
    }
    await system.client.close();
    expect(impactOf(system)).toEqual([{ ...valid, samples: [sample] }]);
    expect(system.upstream.posts.get("/api/client/metrics")).toMatchObject([
      { appName: "shop", bucket: { toggles: { on: { yes: 4 } } } },
    ]);
  });

  test("metrics above the limit of a key are dropped and counted", async () => {
    const system = await startSystem("*:development.secret", 60_000);
    const invent = (prefix: string, count: number) => ({
      appName: "shop",
      impactMetrics: [
        {
          name: "c",
          help: "",
          type: "counter",
          samples: Array.from({ length: count }, (_, index) => {
            return { labels: { l: `${prefix}${index}` }, value: 1 };
          }),
        },
      ],
    });
    for (const prefix of ["a", "b", "c"]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await system.post("/proxy/client/metrics", invent(prefix, 500));
    }
    const other = await system.post("/proxy/client/metrics", invent("other", 1), {
      authorization: OTHER_KEY,
    });
    expect(other.status).toBe(200);
    const scraped = await system.request("/proxy/internal-backstage/prometheus");
    expect(await scraped.text()).toContain(
      '\nflags_proxy_usage_dropped_total{kind="impact_metric"} 500\n',
    );
    await system.client.close();
    const labels = impactOf(system).flatMap(({ samples }) => samples.map((one) => one["labels"]));
    expect(labels).toHaveLength(1001);
    expect(labels).toContainEqual({ l: "other0" });
  });
});

describe("registrations are forwarded", () => {
  test("registrations of unleash-client are forwarded in bulk, with the proxy in `connectVia`", async () => {
    const system = await startSystem();
    await startServerSdk(system.url);
    await expect.poll(() => applicationsOf(system)).toHaveLength(1);
    expect(applicationsOf(system)[0]).toMatchObject({
      appName: "backend",
      instanceId: "host-1",
      environment: "development",
      sdkType: "backend",
      sdkVersion: expect.stringMatching(/^unleash-node-sdk:/) as string,
      strategies: expect.arrayContaining(["default"]) as string[],
      started: expect.stringMatching(/^\d{4}-.*Z$/) as string,
      interval: 100,
      platformName: "node",
      connectVia: VIA,
    });
  });

  test("unleash-proxy-client, which does not register, is registered once, based on its usage reports", async () => {
    const system = await startSystem();
    const client = startBrowser(system.url);
    await client.start();
    const reports = () => system.upstream.posts.get("/api/client/metrics")?.length ?? 0;
    for (let round = 1; round <= 3; round += 1) {
      client.isEnabled("on");
      // oxlint-disable-next-line no-await-in-loop -- one report after the other
      await expect.poll(reports).toBeGreaterThanOrEqual(round);
    }
    await system.client.close();
    expect(applicationsOf(system)).toMatchObject([
      {
        appName: "shop",
        sdkType: "frontend",
        sdkVersion: expect.stringMatching(/^unleash-(client-)?js/) as string,
        environment: "development",
        connectVia: VIA,
      },
    ]);
  });

  test("registrations pass through two proxies, which add themselves to `connectVia`", async () => {
    const first = await startSystem();
    const second = new UpstreamSource({
      url: `${first.url}/api`,
      appName: "second",
      instanceId: "two",
      token: SERVER_TOKEN,
      refreshIntervalMs: 10_000,
      metricsIntervalMs: 20,
      disableRegistration: false,
    });
    onTestFinished(() => second.close());
    const { post } = await startProxyOver(second);
    await synchronized(second);
    const body = { appName: "app", sdkVersion: "unleash-client-android:1", sdkFlavor: "x" };
    expect((await post("/proxy/client/register", body)).status).toBe(200);
    const find = () => applicationsOf(first).find(({ appName }) => appName === "app");
    await expect.poll(find).toMatchObject({
      sdkType: "frontend",
      sdkVersion: "unleash-client-android:1",
      sdkFlavor: "x",
      connectVia: [{ appName: "second", instanceId: "two" }, ...VIA],
    });
  });

  test("registrations of many invented applications need few requests, and do not crowd out another key", async () => {
    const system = await startSystem("*:development.secret", 60_000);
    for (let index = 0; index < 1100; index += 1) {
      const body = JSON.stringify({ appName: `invented-${index}` });
      // oxlint-disable-next-line no-await-in-loop -- on one connection
      await sendRaw(system, "/proxy/client/register", { "content-type": "application/json" }, body);
    }
    const other = await system.post(
      "/proxy/client/register",
      { appName: "real" },
      {
        authorization: OTHER_KEY,
      },
    );
    expect(other.status).toBe(200);
    await system.client.close();
    const names = applicationsOf(system).map(({ appName }) => appName);
    expect(names).toHaveLength(1001);
    expect(names).toContain("real");
    expect(bulks(system).length).toBeLessThan(10);
  });

  test("without bulk reports, at most 50 registrations are sent at a time, alternating between keys", async () => {
    const system = await startSystem("opaque", 60_000);
    for (let index = 0; index < 100; index += 1) {
      // oxlint-disable-next-line no-await-in-loop -- on one connection
      await (await system.post("/proxy/client/register", { appName: `invented-${index}` })).text();
    }
    const body = { appName: "real" };
    await system.post("/proxy/client/register", body, { authorization: OTHER_KEY });
    await system.client.close();
    const registered = (system.upstream.posts.get("/api/client/register") ?? []) as readonly {
      readonly appName: string;
    }[];
    const names = registered.map(({ appName }) => appName).filter((name) => name !== "flags-proxy");
    expect(names).toHaveLength(50);
    expect(names).toContain("real");
  });

  test("implausible fields of a registration are not forwarded", async () => {
    const system = await startSystem("*:development.secret", 60_000);
    const bodies = [
      { appName: "a", started: "+275760-09-13T00:00:00.000Z", interval: -1, strategies: "x" },
      { appName: "b", started: 1e300, interval: "x", strategies: [1, "s"], sdkVersion: 5 },
      { appName: "c", connectVia: [{}, { appName: "p", instanceId: "q" }], sdkType: "backend" },
      { appName: "d", instanceId: "x".repeat(300), sdkFlavorVersion: "y".repeat(100) },
    ];
    for (const body of bodies) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect((await system.post("/proxy/client/register", body)).status).toBe(200);
    }
    await system.client.close();
    const sent = applicationsOf(system);
    expect(sent.map(({ appName }) => appName)).toEqual(["a", "b", "c", "d"]);
    for (const { started, interval, sdkType, instanceId } of sent) {
      expect([started, interval, sdkType, instanceId]).toEqual([
        expect.stringMatching(/^20\d\d-/),
        30_000,
        "frontend",
        "default",
      ]);
    }
    expect(sent.map(({ strategies }) => strategies)).toEqual([[], ["s"], [], []]);
    expect(sent[2]?.["connectVia"]).toEqual([{ appName: "p", instanceId: "q" }, ...VIA]);
    expect(sent[3]?.["sdkFlavorVersion"]).toHaveLength(32);
  });
});
