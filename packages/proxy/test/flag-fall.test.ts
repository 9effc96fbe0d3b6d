// An upstream that has lost its flags, with real processes and a store.

import { cp, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { documentOf, flag, serve, status, Upstream } from "../../sdk/test/_upstream.ts";
import { type Command, eventually, startCommand, untilReady } from "./_command.ts";

const KEY = "client-key";
const TOKEN = "*:production.upstream-token";
const NAMES = Array.from({ length: 20 }, (_, index) => `flag-${index}`);
const FLAGS = documentOf(...NAMES.map((name) => flag(name)));
const NONE = documentOf();

interface Proxy {
  readonly command: Command;
  readonly url: string;
}

async function startProxy(
  upstream: Upstream,
  store: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<Proxy> {
  const command = startCommand({
    FLAGS_URL: upstream.url,
    FLAGS_API_TOKEN: TOKEN,
    FLAGS_PROXY_CLIENT_KEYS: KEY,
    EXP_SERVER_SIDE_SDK_CONFIG_TOKENS: TOKEN,
    FLAGS_FETCH_INTERVAL: "1000",
    FLAGS_METRICS_INTERVAL: "0",
    FLAGS_STORE: `file:${store}`,
    ...environment,
  });
  const url = await command.listening();
  await untilReady(url);
  return { command, url };
}

async function setUp(): Promise<{ readonly upstream: Upstream; readonly store: string }> {
  const upstream = await Upstream.start();
  onTestFinished(() => upstream.close());
  upstream.features(serve(FLAGS));
  const store = await mkdtemp(join(tmpdir(), "flags-fall-"));
  onTestFinished(() => rm(store, { recursive: true }));
  return { upstream, store };
}

async function sizeOf({ url }: Proxy): Promise<number> {
  const response = await fetch(`${url}/proxy`, { headers: { authorization: KEY } });
  return ((await response.json()) as { readonly toggles: readonly unknown[] }).toggles.length;
}

async function fallOf({ url }: Proxy): Promise<unknown> {
  const response = await fetch(`${url}/status`, { headers: { authorization: TOKEN } });
  const { sources } = (await response.json()) as { readonly sources: readonly { fall: unknown }[] };
  return sources[0]?.fall;
}

async function metricOf({ url }: Proxy): Promise<string | undefined> {
  const response = await fetch(`${url}/proxy/internal-backstage/prometheus`);
  return /source_flags_fallen\{source="production"\} (\d)/.exec(await response.text())?.[1];
}

async function stop({ command }: Proxy): Promise<void> {
  command.signal("SIGTERM");
  await command.finished();
}

/** Returns the path of the stored document. */
async function findDocument(store: string): Promise<string> {
  const [source = ""] = await readdir(join(store, "v1/sources"));
  return join(store, "v1/sources", source, "flags");
}

test.each(["1", "2"])(
  "with %s processes, no flags after flags are reported, held back, and can be undone in the store",
  async (workers) => {
    const { upstream, store } = await setUp();
    const settings = workers === "1" ? {} : { FLAGS_PROXY_WORKERS: workers };
    const proxy = await startProxy(upstream, store, settings);
    expect([await fallOf(proxy), await metricOf(proxy)]).toEqual([null, "0"]);

    upstream.features(serve(NONE));
    await eventually(() => fallOf(proxy)).toMatchObject({ before: 20, after: 0, heldBack: true });
    expect([await sizeOf(proxy), await metricOf(proxy)]).toEqual([20, "1"]);
    await eventually(() => sizeOf(proxy)).toBe(0);
    expect(await fallOf(proxy)).toMatchObject({ before: 20, after: 0, heldBack: false });
    expect(proxy.command.output.stdout).toMatch(/sends no flags, after 20 flags: those are kept/);
    expect(proxy.command.output.stdout).toMatch(/number of flags has fallen from 20 to 0/);
    await stop(proxy);

    // As docs/reference/persistence.md says.
    upstream.features(status(503));
    const document = await findDocument(store);
    await cp(`${document}-previous`, document);
    const restored = await startProxy(upstream, store);
    expect(await sizeOf(restored)).toBe(20);
  },
  60_000,
);

test("no flags of the upstream after a restart follow the flags in the store", async () => {
  const { upstream, store } = await setUp();
  const first = await startProxy(upstream, store);
  await stop(first);
  upstream.features(serve(NONE));
  const proxy = await startProxy(upstream, store, { FLAGS_FETCH_INTERVAL: "60000" });
  await eventually(() => fallOf(proxy)).toMatchObject({ heldBack: true });
  expect(await sizeOf(proxy)).toBe(20);
});

test("an upstream without flags is used at once if there have been none, also with a store", async () => {
  const { upstream, store } = await setUp();
  upstream.features(serve(NONE));
  const proxy = await startProxy(upstream, store, { FLAGS_FETCH_INTERVAL: "60000" });
  expect([await sizeOf(proxy), await fallOf(proxy)]).toEqual([0, null]);
});
