import { PushFeed, type Fetch } from "flags-stream-client";
import { EventSource } from "undici";
import { InMemoryStorageProvider, UnleashClient } from "unleash-proxy-client";
import { expect, onTestFinished, test } from "vitest";
import { flag, withConstraint } from "../../proxy/test/_documents.ts";
import { KEY, proxyConfig, startProxy, type RunningApp } from "../../proxy/test/_proxy.ts";
import { startForgetfulGateway } from "./_forgetful-gateway.ts";

const FOR_7 = flag("for-user-7", { strategies: [withConstraint("userId", ["7"])] });
const FOR_8 = flag("for-user-8", { strategies: [withConstraint("userId", ["8"])] });

interface Setup {
  readonly url: string;
  readonly post?: boolean;
  readonly refreshInterval?: number;
}

/** Starts the unmodified official client with a stream. By default it does not poll. */
async function startFed({ url, post = false, refreshInterval = 0 }: Setup) {
  const requests: string[] = [];
  const recordingFetch: Fetch = async (input, init) => {
    const response = await fetch(input, init);
    const { pathname } = new URL(input);
    if (!pathname.includes("/client/")) {
      requests.push(`${init?.method} ${pathname} ${response.status}`);
    }
    return response;
  };
  const feed = new PushFeed({ fetch: recordingFetch, EventSource, retryDelayMs: 20 });
  const client = new UnleashClient({
    url,
    clientKey: KEY,
    appName: "shop",
    context: { userId: "7", properties: { "my key": "a&b" } },
    usePOSTrequests: post,
    refreshInterval,
    disableMetrics: true,
    storageProvider: new InMemoryStorageProvider(),
    fetch: feed.fetch,
  });
  onTestFinished(() => {
    client.stop();
    feed.close();
  });
  feed.feed(client);
  let updates = 0;
  client.on("update", () => (updates += 1));
  await client.start();
  return { client, feed, requests, updates: () => updates };
}

/** Waits until a proxy has a stream open. */
async function streamIsOpen(proxy: Pick<RunningApp, "request">): Promise<void> {
  const count = async (): Promise<number> => {
    const text = await (await proxy.request("/proxy/internal-backstage/prometheus")).text();
    return Number(/^flags_proxy_push_streams (\d+)$/m.exec(text)?.[1]);
  };
  await expect.poll(count).toBe(1);
}

test.each([
  ["GET", "/proxy", false],
  ["POST", "/proxy", true],
  ["GET", "/api/frontend", false],
  ["POST", "/api/frontend", true],
  ["GET", "/proxy/all", false],
  ["POST", "/api/frontend/all", true],
])("a client that uses %s %s receives changes without a poll", async (method, path, post) => {
  const config = { enableAllEndpoint: true };
  const proxy = await startProxy({ document: { features: [FOR_7] }, config });
  const { client, requests, updates } = await startFed({ url: proxy.url + path, post });
  expect(client.isEnabled("for-user-7")).toBe(true);
  await streamIsOpen(proxy);

  const updated = new Promise<void>((resolve) => client.once("update", () => resolve()));
  proxy.source.replace({ features: [FOR_7, FOR_8, flag("new")] });
  await updated;
  expect(client.isEnabled("new")).toBe(true);
  expect(client.isEnabled("for-user-8")).toBe(false);
  expect(updates()).toBe(2);
  expect(requests).toEqual([
    `${method} ${path} 200`,
    `POST ${path.replace("/all", "")}/stream 201`,
  ]);
});

test("feed() rejects what is not a client", () => {
  for (const client of [undefined, {}])
    expect(() => new PushFeed().feed(client as never)).toThrow("`client` must be an UnleashClient");
});

test("polls of a client with an open stream send no requests", async () => {
  const proxy = await startProxy({ document: { features: [FOR_7] } });
  const { client, requests } = await startFed({ url: `${proxy.url}/proxy` });
  await streamIsOpen(proxy);
  proxy.source.replace({ features: [flag("new")] });
  await expect.poll(() => client.isEnabled("new")).toBe(true);
  const before = requests.length;
  for (let count = 0; count < 5; count++) {
    // oxlint-disable-next-line no-await-in-loop -- sequential polls
    await client.updateToggles();
  }
  expect(requests).toHaveLength(before);
});

test("a change of the context opens a new stream and closes the previous one", async () => {
  const proxy = await startProxy({ document: { features: [FOR_7, FOR_8] } });
  const { client } = await startFed({ url: `${proxy.url}/proxy` });
  await streamIsOpen(proxy);
  await client.updateContext({ userId: "8" });
  expect(client.isEnabled("for-user-8")).toBe(true);
  expect(client.isEnabled("for-user-7")).toBe(false);
  proxy.source.replace({ features: [FOR_7, FOR_8, flag("new")] });
  await expect.poll(() => client.isEnabled("new")).toBe(true);
  expect(client.isEnabled("for-user-8")).toBe(true);
  await streamIsOpen(proxy);
});

test("a client polls if streams are disabled", async () => {
  const push = { ...proxyConfig().push, maxStreams: 0, maxAgeSeconds: 60 };
  const proxy = await startProxy({ document: { features: [FOR_7] }, config: { push } });
  const setup = { url: `${proxy.url}/proxy`, refreshInterval: 0.05 };
  const { client, requests } = await startFed(setup);
  await expect.poll(() => requests).toContain("POST /proxy/stream 501");
  proxy.source.replace({ features: [flag("new")] });
  await expect.poll(() => client.isEnabled("new")).toBe(true);
});

test("an expired URL is renewed", async () => {
  const proxy = await startProxy({ document: { features: [FOR_7] } });
  const gateway = await startForgetfulGateway(proxy.url);
  await startFed({ url: `${gateway.url}/proxy` });
  await expect.poll(() => gateway.usedUrls.size, { timeout: 30_000 }).toBeGreaterThan(1);
});
