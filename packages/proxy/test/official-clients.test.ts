import { EventEmitter, once } from "node:events";
import type { CustomStrategy } from "flags-sdk";
import { synchronized } from "./_upstream-source.ts";
import { UpstreamSource } from "../src/upstream/upstream-source.ts";
import { InMemStorageProvider, Unleash } from "unleash-client";
import { InMemoryStorageProvider, UnleashClient } from "unleash-proxy-client";
import { expect, onTestFinished, test } from "vitest";
import type { ProxyConfig } from "../src/config/config.ts";
import { SAMPLE, flag } from "./_documents.ts";
import { startFeatureServer } from "./_feature-server.ts";
import { KEY, SERVER_TOKEN, startProxyOver } from "./_proxy.ts";
import { destroyUnleash } from "./_unleash-client.ts";

const SEGMENT = { id: 1, constraints: [{ contextName: "plan", operator: "IN", values: ["gold"] }] };
const DOCUMENT = {
  ...SAMPLE,
  features: [
    ...SAMPLE.features,
    flag("by-segment", { strategies: [{ name: "default", parameters: {}, segments: [1] }] }),
  ],
  segments: [SEGMENT],
};

/** Starts an upstream, a client for it, and a proxy that uses the client. */
async function startSystem(
  strategies: readonly CustomStrategy[] = [],
  config: Partial<ProxyConfig> = {},
) {
  const upstream = await startFeatureServer(DOCUMENT);
  const client: UpstreamSource = new UpstreamSource({
    url: upstream.url,
    appName: "flags-proxy",
    token: "upstream-token",
    refreshIntervalMs: 20,
    metricsIntervalMs: 20,
    strategies,
  });
  onTestFinished(() => client.close());
  const proxy = await startProxyOver(client, { config });
  await synchronized(client);
  return { upstream, ...proxy };
}

test.each([
  ["GET", "/proxy", false],
  ["POST", "/proxy", true],
  ["GET", "/api/frontend", false],
  ["POST", "/api/frontend", true],
  ["GET", "/api/proxy", false],
  ["POST", "/api/proxy/", true],
])("unleash-proxy-client, %s %s: flags, variants, updates and metrics", async (_, path, post) => {
  const { url, upstream } = await startSystem();
  const statuses: number[] = [];
  const client = new UnleashClient({
    url: url + path,
    clientKey: KEY,
    appName: "shop",
    context: { userId: "7", properties: { plan: "gold", "my key": "a&b" } },
    usePOSTrequests: post,
    refreshInterval: 0.05,
    metricsInterval: 0.1,
    metricsIntervalInitial: 0.1,
    storageProvider: new InMemoryStorageProvider(),
    fetch: async (input: string, init?: RequestInit) => {
      const response = await fetch(input, init);
      if (!input.includes("/client/")) statuses.push(response.status);
      return response;
    },
  });
  onTestFinished(() => client.stop());
  const errors: unknown[] = [];
  client.on("error", (error: unknown) => errors.push(error));
  await client.start();

  expect(client.isEnabled("for-user-7")).toBe(true);
  expect(client.isEnabled("by-segment")).toBe(true);
  expect(client.isEnabled("off")).toBe(false);
  expect(client.getVariant("with-variant")).toMatchObject({
    name: "blue",
    enabled: true,
    payload: { type: "json", value: '{"a":"é\\n"}' },
  });

  await expect.poll(() => statuses).toContain(304);
  const updated = new Promise<void>((resolve) => client.once("update", () => resolve()));
  upstream.document = { ...DOCUMENT, features: [flag("new")] };
  await updated;
  expect(client.isEnabled("new")).toBe(true);
  expect(client.isEnabled("for-user-7")).toBe(false);

  await expect
    .poll(() => upstream.posts.get("/api/client/metrics") ?? [])
    .toContainEqual(
      expect.objectContaining({
        appName: "shop",
        bucket: expect.objectContaining({
          toggles: expect.objectContaining({ "by-segment": expect.objectContaining({ yes: 1 }) }),
        }),
      }),
    );
  expect(errors).toEqual([]);
});

test.each([true, false])(
  "unleash-proxy-client with the URL of /proxy/all reports usage, enableAllEndpoint: %s",
  async (enableAllEndpoint) => {
    const { url, upstream } = await startSystem([], { enableAllEndpoint });
    const sent = new EventEmitter();
    const client = new UnleashClient({
      url: `${url}/proxy/all`,
      clientKey: KEY,
      appName: "shop",
      refreshInterval: 0.05,
      metricsInterval: 0.1,
      metricsIntervalInitial: 0.1,
      storageProvider: new InMemoryStorageProvider(),
      fetch: async (input: string, init?: RequestInit) => {
        const response = await fetch(input, init);
        if (input.endsWith("/proxy/all/client/metrics")) sent.emit("response", response);
        return response;
      },
    });
    onTestFinished(() => client.stop());
    const reported = once(sent, "response") as Promise<[Response]>;
    await client.start();
    expect(client.isEnabled("on")).toBe(enableAllEndpoint);
    const [response] = await reported;
    expect([response.status, await response.text()]).toEqual([200, "OK"]);
    await expect
      .poll(() => upstream.posts.get("/api/client/metrics"))
      .toContainEqual(expect.objectContaining({ appName: "shop" }));
    const init = {
      method: "POST",
      headers: { authorization: KEY, "content-type": "application/json" },
      body: JSON.stringify({ appName: "shop" }),
    };
    expect((await fetch(`${url}/proxy/all/client/register`, init)).status).toBe(200);
  },
);

test("unleash-client with a server token: definitions including segments, updates and metrics", async () => {
  const { url, upstream } = await startSystem();
  const client = new Unleash({
    url: `${url}/proxy`,
    appName: "backend",
    customHeaders: { Authorization: SERVER_TOKEN },
    refreshInterval: 50,
    metricsInterval: 100,
    storageProvider: new InMemStorageProvider(),
  });
  onTestFinished(() => destroyUnleash(client));
  const problems: unknown[] = [];
  client
    .on("error", (error) => problems.push(error))
    .on("warn", (warning) => problems.push(warning));
  await new Promise((resolve) => client.once("synchronized", resolve));

  expect(client.isEnabled("by-segment", { properties: { plan: "gold" } })).toBe(true);
  expect(client.isEnabled("by-segment", { properties: { plan: "basic" } })).toBe(false);
  expect(client.getVariant("with-variant", { userId: "1" })).toMatchObject({ name: "blue" });

  upstream.document = { ...DOCUMENT, features: [flag("new")] };
  await expect.poll(() => client.isEnabled("new")).toBe(true);
  await expect
    .poll(() => upstream.posts.get("/api/client/metrics") ?? [])
    .toContainEqual(expect.objectContaining({ appName: "backend" }));
  const scrape = async () => (await fetch(`${url}/proxy/internal-backstage/prometheus`)).text();
  await expect.poll(scrape).toMatch(/^flags_proxy_usage_delivered_total\{source="[^"]+"\} [1-9]/m);
  expect(problems).toEqual([]);
});

test("our own client with a server token: a proxy behind a proxy", async () => {
  const { url } = await startSystem();
  const second = new UpstreamSource({
    url: `${url}/proxy`,
    appName: "second-proxy",
    token: SERVER_TOKEN,
    refreshIntervalMs: 50,
  });
  onTestFinished(() => second.close());
  const { request } = await startProxyOver(second);
  expect((await request("/proxy")).status).toBe(503);
  await synchronized(second);
  const response = await request("/proxy?plan=gold");
  const first = await fetch(`${url}/proxy?plan=gold`, { headers: { authorization: KEY } });
  expect(response.headers.get("etag")).toBe(first.headers.get("etag"));
  expect(await response.text()).toBe(await first.text());
});

test("metrics of the proxy: failed calls to the upstream, and custom strategies that fail", async () => {
  const broken = {
    name: "default",
    isEnabled() {
      throw new Error("no luck");
    },
  };
  const { url, request, upstream } = await startSystem([broken]);
  await (await request("/proxy")).text();
  upstream.failure = 500;
  const scrape = async () => (await fetch(`${url}/proxy/internal-backstage/prometheus`)).text();
  await expect.poll(scrape).toMatch(/\nflags_proxy_upstream_errors_total [1-9]/);
  expect(await scrape()).toMatch(
    /\nflags_proxy_custom_strategy_errors_total\{strategy="default"\} [1-9]/,
  );
  expect((await request("/proxy")).status).toBe(200);
});
