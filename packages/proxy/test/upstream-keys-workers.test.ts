// Keys that the upstream verifies, with the built command and worker processes: one set of keys, and one
// limit, for all of them.

import { type Dispatcher, Agent } from "undici";
import { expect, onTestFinished, test } from "vitest";
import { eventually, startCommand, untilReady } from "./_command.ts";
import { frontend, type IssuingUpstream, startIssuingUpstream } from "./_issuing-upstream.ts";
import { pidsOf } from "./_workers.ts";

const STATIC = "*:development.a-static-key";
const WEB = "web:development.a-secret-of-web";
const ALL = "*:production.a-secret-of-all";

/** Invented keys that are sent: more than the two workers verify, which is 1000 each and then 20 a second. */
const GUESSES = 3000;
const CONNECTIONS = 300;

async function startWithWorkers(upstream: IssuingUpstream, variables: Record<string, string> = {}) {
  const command = startCommand({
    FLAGS_URL: upstream.url,
    FLAGS_API_TOKEN: "*:development.upstream-1,*:production.upstream-2",
    FLAGS_PROXY_CLIENT_KEYS: STATIC,
    FLAGS_UPSTREAM_KEYS: "true",
    FLAGS_PROXY_WORKERS: "2",
    TRUST_PROXY: "true",
    LOG_LEVEL: "info",
    ...variables,
  });
  const url = await command.listening();
  await untilReady(url);
  return { command, url };
}

/** Sends requests on new connections, which different workers accept, and returns the statuses. */
async function statusesOf(url: string, key: string, count = 10): Promise<ReadonlySet<number>> {
  const statuses = Array.from({ length: count }, async () => {
    const response = await fetch(`${url}/proxy`, {
      headers: { authorization: key, connection: "close" },
    });
    await response.text();
    return response.status;
  });
  return new Set(await Promise.all(statuses));
}

async function metricsOf(url: string): Promise<(name: string) => number> {
  const response = await fetch(`${url}/proxy/internal-backstage/prometheus`);
  const lines = (await response.text()).split("\n");
  return (name) =>
    Number(
      lines
        .find((line) => line.startsWith(`${name} `))
        ?.split(" ")
        .at(-1),
    );
}

test("all workers know a key after one call, including a new worker, and all reject it when it is revoked", async () => {
  const upstream = await startIssuingUpstream({
    [WEB]: frontend("development", "web"),
    [ALL]: frontend("production", "*"),
  });
  const { command, url } = await startWithWorkers(upstream, {
    FLAGS_UPSTREAM_KEYS_INTERVAL: "3600000",
  });
  expect(await statusesOf(url, WEB, 1)).toEqual(new Set([200]));
  expect(await statusesOf(url, WEB)).toEqual(new Set([200]));
  expect(await statusesOf(url, ALL)).toEqual(new Set([200]));
  expect(upstream.calls.flat().toSorted()).toEqual([ALL, WEB]);

  const [first = 0] = pidsOf(command);
  process.kill(first, "SIGKILL");
  await eventually(() => pidsOf(command).length).toBe(3);
  expect(await statusesOf(url, WEB)).toEqual(new Set([200]));
  expect(upstream.calls.flat()).toHaveLength(2);
  expect((await metricsOf(url))("flags_proxy_upstream_keys")).toBe(2);
});

test("a revoked key is rejected by all workers", async () => {
  const upstream = await startIssuingUpstream({ [WEB]: frontend("development", "web") });
  const { url } = await startWithWorkers(upstream, { FLAGS_UPSTREAM_KEYS_INTERVAL: "1000" });
  expect(await statusesOf(url, WEB)).toEqual(new Set([200]));
  upstream.issued.delete(WEB);
  await eventually(() => statusesOf(url, WEB, 1)).toEqual(new Set([401]));
  expect(await statusesOf(url, WEB)).toEqual(new Set([401]));
  expect(await statusesOf(url, STATIC)).toEqual(new Set([200]));
});

test("thousands of invented keys from many addresses cause few calls, and known keys still work", async () => {
  const upstream = await startIssuingUpstream({ [WEB]: frontend("development", "web") });
  const { url } = await startWithWorkers(upstream);
  expect(await statusesOf(url, WEB)).toEqual(new Set([200]));
  const memoryBefore = (await metricsOf(url))("process_resident_memory_bytes");
  const agent = new Agent({ connections: CONNECTIONS, pipelining: 1 });
  onTestFinished(() => agent.destroy());
  const startMs = performance.now();
  const statuses = new Map<number, number>();
  const known = new Set<number>();
  let next = 0;
  const attack = async (): Promise<void> => {
    while (next < GUESSES) {
      next += 1;
      const index = next;
      const isKnown = index % 50 === 0;
      const key = isKnown ? WEB : `*:development.${Math.random().toString(36)}${index}`;
      // oxlint-disable-next-line no-await-in-loop -- each connection sends one after the other
      const status = await request(agent, url, key, `10.${index % 251}.${index % 241}.1`);
      if (isKnown) known.add(status);
      else statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, attack));
  const seconds = (performance.now() - startMs) / 1000;

  expect(known).toEqual(new Set([200]));
  expect([...statuses.keys()].toSorted()).toEqual([401, 429]);
  // Four calls a second; and in each of the two workers, 1000 unknown keys and then 20 a second.
  expect(upstream.calls.length).toBeLessThanOrEqual(2 + 4 * seconds);
  expect(upstream.calls.flat().length).toBeLessThanOrEqual(1 + 2 * (1000 + 20 * seconds));
  const metrics = await metricsOf(url);
  expect(metrics("flags_proxy_upstream_keys")).toBe(1);
  expect(metrics("flags_proxy_upstream_keys_waiting_requests")).toBe(0);
  const growth = metrics("process_resident_memory_bytes") - memoryBefore;
  expect(growth).toBeLessThan(200 * 1024 * 1024);
  expect(await statusesOf(url, STATIC)).toEqual(new Set([200]));
});

async function request(
  agent: Agent,
  url: string,
  key: string,
  address: string,
): Promise<Dispatcher.ResponseData["statusCode"]> {
  const { statusCode, body } = await agent.request({
    origin: url,
    path: "/proxy",
    method: "GET",
    headers: { authorization: key, "x-forwarded-for": address },
  });
  await body.dump();
  return statusCode;
}
