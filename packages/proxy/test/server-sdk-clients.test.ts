import { createFlagsClient, type FlagsClient, type Synchronization } from "flags-sdk";
import { UpstreamSource } from "../src/upstream/upstream-source.ts";
import { InMemStorageProvider, Unleash, type UnleashConfig } from "unleash-client";
import { describe, expect, onTestFinished, test } from "vitest";
import { flag } from "./_documents.ts";
import { startFeatureServer } from "./_feature-server.ts";
import { KEY, SERVER_TOKEN, startProxy, startProxyOver, type TestProxy } from "./_proxy.ts";
import { destroyUnleash } from "./_unleash-client.ts";

const SOON = { interval: 20 };
const bySegment = flag("by-segment", {
  strategies: [{ name: "default", parameters: {}, constraints: [], segments: [1] }],
});
const segmentOf = (plan: string) => ({
  id: 1,
  name: "paying",
  constraints: [{ contextName: "plan", operator: "IN", values: [plan] }],
});
const DOCUMENT = {
  version: 2,
  features: [flag("a"), bySegment, flag("b")],
  segments: [segmentOf("gold")],
};

const PATHS = ["/api", "/proxy"] as const;
const OFFICIAL: readonly (readonly [string, Partial<UnleashConfig>])[] = [
  ["polling", {}],
  ["polling for deltas", { experimentalMode: { type: "polling", format: "delta" } }],
  ["streaming", { experimentalMode: { type: "streaming" } }],
];

async function startOfficial(url: string, options: Partial<UnleashConfig>) {
  const client = new Unleash({
    url,
    appName: "official",
    customHeaders: { Authorization: SERVER_TOKEN },
    storageProvider: new InMemStorageProvider(),
    refreshInterval: 50,
    metricsInterval: 100,
    ...options,
  });
  const problems: unknown[] = [];
  client.on("error", (error) => problems.push(error));
  client.on("warn", (warning) => problems.push(warning));
  onTestFinished(() => destroyUnleash(client));
  await new Promise((resolve) => client.once("synchronized", resolve));
  return { client, problems };
}

describe.each(OFFICIAL)("unleash-client, %s", (_mode, options) => {
  test.each(PATHS)(
    "unleash-client at %s gets flags, segments, changes and removals, and sends usage",
    async (path) => {
      const proxy: TestProxy = await startProxy({
        document: DOCUMENT,
        config: { basePath: "/base" },
      });
      const { client, problems } = await startOfficial(`${proxy.url}/base${path}`, options);
      expect(client.getFeatureToggleDefinitions()).toHaveLength(3);
      expect(client.isEnabled("a")).toBe(true);
      const isOpenTo = (plan: string) => client.isEnabled("by-segment", { properties: { plan } });
      expect([isOpenTo("gold"), isOpenTo("silver")]).toEqual([true, false]);

      proxy.source.replace({
        ...DOCUMENT,
        features: [bySegment, flag("new"), flag("a", { enabled: false })],
        segments: [segmentOf("silver")],
      });
      await expect.poll(() => client.isEnabled("new"), SOON).toBe(true);
      expect(client.isEnabled("a")).toBe(false);
      expect(client.getFeatureToggleDefinitions().map(({ name }) => name)).not.toContain("b");
      expect([isOpenTo("gold"), isOpenTo("silver")]).toEqual([false, true]);

      await expect
        .poll(() => proxy.source.usage, SOON)
        .toContainEqual(
          expect.objectContaining({
            appName: "official",
            features: expect.objectContaining({ a: expect.anything() }),
          }),
        );
      expect(problems).toEqual([]);
    },
  );
});

/** Starts a proxy whose upstream is at the given URL. */
async function startOver(url: string, synchronization: Synchronization, more = {}) {
  const client = createFlagsClient({
    url,
    appName: "flags-proxy",
    token: SERVER_TOKEN,
    refreshIntervalMs: 30,
    metricsIntervalMs: 30,
    synchronization,
    ...more,
  });
  const source = new UpstreamSource(client);
  onTestFinished(async () => {
    await source.close();
    await client.close();
  });
  const proxy = await startProxyOver(source, { config: { basePath: "/base" } });
  source.start();
  return { client, ...proxy };
}

const flagNames = (client: FlagsClient): readonly unknown[] =>
  (client.snapshot?.flags ?? []).map(({ name }) => name);

describe.each(["polling", "delta", "streaming"] as const)("a chain of proxies, %s", (mode) => {
  test.each(PATHS)(
    "a chain of proxies at %s passes changes down and usage up, with equal responses",
    async (path) => {
      const upstream = await startFeatureServer(DOCUMENT);
      const first = await startOver(upstream.url, "polling");
      const second = await startOver(`${first.url}/base${path}`, mode);
      const third = await startOver(`${second.url}/base${path}`, mode);
      await third.client.synchronized();
      const { request, client, post } = third;
      const response = await request("/base/proxy?plan=gold");
      const above = await second.request("/base/proxy?plan=gold");
      expect(await response.text()).toBe(await above.text());
      expect(response.headers.get("etag")).toBe(above.headers.get("etag"));

      const changed = [flag("c"), bySegment, flag("a", { enabled: false })];
      upstream.document = { ...DOCUMENT, features: changed };
      await expect.poll(() => flagNames(client), SOON).toContain("c");
      expect(flagNames(client).toSorted()).toEqual(["a", "by-segment", "c"]);
      expect(client.isEnabled("a")).toBe(false);

      const toggles = { c: { yes: 2, no: 1 } };
      expect(
        (await post("/base/proxy/client/metrics", { appName: "shop", bucket: { toggles } })).status,
      ).toBe(200);
      await expect
        .poll(() => upstream.posts.get("/api/client/metrics") ?? [], SOON)
        .toContainEqual(
          expect.objectContaining({
            appName: "shop",
            bucket: expect.objectContaining({ toggles: { c: expect.objectContaining(toggles.c) } }),
          }),
        );
    },
  );

  test("a chain of proxies serves its last flags while the upstream fails, and recovers", async () => {
    const upstream = await startFeatureServer(DOCUMENT);
    const first = await startOver(upstream.url, "polling");
    const second = await startOver(`${first.url}/base/api`, mode);
    await second.client.synchronized();
    upstream.failure = 500;
    await new Promise<void>((resolve) => first.client.on("failure", () => resolve()));
    expect((await second.request("/base/proxy")).status).toBe(200);
    upstream.failure = undefined;
    upstream.document = { ...DOCUMENT, features: [flag("recovered")] };
    await expect.poll(() => flagNames(second.client), SOON).toEqual(["recovered"]);
  });

  test("a chain of proxies filters by name and project", async () => {
    const features = [
      flag("shop.a"),
      flag("shop.b", { project: "p" }),
      flag("c", { project: "p" }),
    ];
    const first = await startProxy({ document: { features } });
    // Its flags are confirmed at any time; with the same time, it would not be known which are newer.
    first.source.isLive = true;
    const more = { namePrefix: "shop.", projectName: "p" };
    const { client } = await startOver(`${first.url}/api`, mode, more);
    await client.synchronized();
    expect(flagNames(client)).toEqual(["shop.b"]);
    first.source.replace({ features: [...features, flag("shop.c", { project: "p" })] });
    await expect.poll(() => flagNames(client), SOON).toEqual(["shop.b", "shop.c"]);
  });
});

test("a chain of proxies that streams receives a change without polling", async () => {
  const first = await startProxy({ document: DOCUMENT });
  const second = await startOver(`${first.url}/api`, "streaming", { refreshIntervalMs: 600_000 });
  await second.client.synchronized();
  const changed = new Promise<void>((resolve) => second.client.on("changed", () => resolve()));
  first.source.replace({ ...DOCUMENT, features: [flag("now")] });
  await changed;
  const { toggles } = (await (
    await fetch(`${second.url}/base/proxy`, { headers: { authorization: KEY } })
  ).json()) as { toggles: { name: string }[] };
  expect(toggles.map(({ name }) => name)).toEqual(["now"]);
});
