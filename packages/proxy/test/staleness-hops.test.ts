// Flags never become older, across any number of proxies: upstream, two central proxies behind a load balancer, proxies of
// regions, and a proxy behind one of these. All are real processes.

import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { documentOf, flag, serve, Upstream } from "../../sdk/test/_upstream.ts";
import { type Command, eventually, startCommand } from "./_command.ts";
import { startLoadBalancer } from "./_load-balancer.ts";

const KEY = "client-key";
const TOKEN = "*:production.token-of-the-regions";
const INTERVAL_MS = 200;
const MAX_STALENESS_MS = 8000;
/** Connections are closed after this time, so that regions get to both central proxies again and again. */
const CONNECTION_MS = 300;
/** How long flags are observed. In this time, each region gets to both central proxies several times. */
const OBSERVED_MS = 5000;

interface Proxy {
  readonly command: Command;
  readonly url: string;
}

async function startProxy(
  port: number,
  environment: Readonly<Record<string, string>> = {},
): Promise<Proxy> {
  const command = startCommand({
    FLAGS_URL: `http://127.0.0.1:${port}/api`,
    FLAGS_API_TOKEN: TOKEN,
    FLAGS_PROXY_CLIENT_KEYS: KEY,
    EXP_SERVER_SIDE_SDK_CONFIG_TOKENS: TOKEN,
    FLAGS_FETCH_INTERVAL: String(INTERVAL_MS),
    FLAGS_METRICS_INTERVAL: "0",
    FLAGS_MAX_STALENESS: String(MAX_STALENESS_MS),
    ...environment,
  });
  const url = await command.listening();
  await eventually(() => readyOf({ url })).toBe(200);
  return { command, url };
}

async function readyOf({ url }: Pick<Proxy, "url">): Promise<number> {
  const response = await fetch(`${url}/ready`);
  await response.text();
  return response.status;
}

async function flagsOf({ url }: Proxy): Promise<string> {
  const response = await fetch(`${url}/proxy`, { headers: { authorization: KEY } });
  const { toggles } = (await response.json()) as { readonly toggles: { readonly name: string }[] };
  return toggles.map(({ name }) => name).join();
}

interface SourceStatus {
  readonly ageSeconds: number;
  readonly stale: boolean;
  readonly lastError: { readonly message: string } | null;
}

async function statusOf({ url }: Proxy): Promise<SourceStatus> {
  const response = await fetch(`${url}/status`, { headers: { authorization: TOKEN } });
  const { sources } = (await response.json()) as { readonly sources: readonly SourceStatus[] };
  const [source] = sources;
  if (source === undefined) throw new Error("There is no source");
  return source;
}

/** Returns the different flags that a proxy serves over time, in order. */
async function observe(proxy: Proxy, signal: AbortSignal): Promise<readonly string[]> {
  const seen: string[] = [];
  while (!signal.aborted) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const flags = await flagsOf(proxy);
    if (seen.at(-1) !== flags) seen.push(flags);
    // oxlint-disable-next-line no-await-in-loop -- leaves the processor to the proxies
    await delay(50);
  }
  return seen;
}

test("flags never become older behind a load balancer over two central proxies, one of which loses its upstream", async () => {
  const upstream = await Upstream.start();
  onTestFinished(() => upstream.close());
  upstream.features(serve(documentOf(flag("v1"))));
  const links = [
    await startLoadBalancer([upstream.port]),
    await startLoadBalancer([upstream.port]),
  ];
  const centrals = await Promise.all(links.map(({ port }) => startProxy(port)));
  const ports = centrals.map(({ url }) => Number(new URL(url).port));
  const balancer = await startLoadBalancer(ports, CONNECTION_MS);
  const regions = await Promise.all(
    ["polling", "delta", "streaming"].map((mode) =>
      startProxy(balancer.port, { FLAGS_SYNCHRONIZATION: mode }),
    ),
  );
  const [, , streaming] = regions;
  if (streaming === undefined) throw new Error("There are three regions");
  const last = await startProxy(Number(new URL(streaming.url).port), {
    FLAGS_SYNCHRONIZATION: "streaming",
  });
  const followers = [...regions, last];
  for (const follower of followers) expect((await statusOf(follower)).stale).toBe(false);

  // The second central proxy keeps the old flags, and is not ready when they are too old.
  links[1]?.cut();
  upstream.features(serve(documentOf(flag("v2"))));
  await Promise.all(followers.map((each) => eventually(() => flagsOf(each)).toBe("v2")));
  const [, behind] = centrals;
  if (behind === undefined) throw new Error("There are two central proxies");
  expect(await flagsOf(behind)).toBe("v1");
  const countBefore = balancer.counts[1] ?? 0;
  const stop = AbortSignal.timeout(OBSERVED_MS);
  const seen = await Promise.all(followers.map((each) => observe(each, stop)));
  expect(seen).toEqual(followers.map(() => ["v2"]));
  expect((balancer.counts[1] ?? 0) - countBefore).toBeGreaterThan(3);
  const [polling] = regions;
  if (polling === undefined) throw new Error("There are three regions");
  // Sometimes, the load balancer has closed a connection with a request on it.
  await eventually(async () => (await statusOf(polling)).lastError?.message).toMatch(
    /^The upstream sent other flags, which were confirmed \d+ s earlier than the current ones: they are ignored/,
  );
  expect(polling.command.output.stdout.match(/confirmed \d+ s earlier/g)).toHaveLength(1);
  await eventually(() => readyOf(behind)).toBe(503);
  expect(await Promise.all(followers.map(readyOf))).toEqual([200, 200, 200, 200]);

  // Nobody has the upstream any more: the ages add up, although each proxy reaches its own upstream.
  links[0]?.cut();
  const [first] = centrals;
  if (first === undefined) throw new Error("There are two central proxies");
  for (const each of [first, ...followers]) {
    // oxlint-disable-next-line no-await-in-loop -- all of them
    await eventually(() => readyOf(each)).toBe(503);
    // oxlint-disable-next-line no-await-in-loop -- as above
    expect(await statusOf(each)).toMatchObject({ stale: true });
  }
  const [firstStatus, ...others] = await Promise.all([first, ...followers].map(statusOf));
  // Status requests are not simultaneous.
  for (const { ageSeconds } of others) {
    expect(ageSeconds).toBeGreaterThan((firstStatus?.ageSeconds ?? Infinity) - 2);
  }
  expect(await Promise.all(followers.map(flagsOf))).toEqual(followers.map(() => "v2"));
}, 120_000);
