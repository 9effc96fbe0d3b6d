// A verification that is older than its interval is repeated before it counts: after restarts, pauses and failures.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { readEvents } from "../../server-kit/test/_event-reader.ts";
import { type Command, eventually, startCommand, untilReady } from "./_command.ts";
import {
  backend,
  frontend,
  type IssuingUpstream,
  revalidateEvery,
  sendTokens,
  startIssuingUpstream,
  startWithUpstreamKeys,
} from "./_issuing-upstream.ts";
import { loadStoreConfig } from "./_stores.ts";

const WEB = "web:development.a-secret-of-web";
const SERVER = "*:development.a-secret-of-a-server";
const OTHER = "*:development.a-secret-of-another-server";
const DEFINITIONS = "/api/client/features";

/** No test that uses it takes this long, so keys are verified again only because a test causes it. */
const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

async function createStore(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "flags-keys-"));
  onTestFinished(() => rm(path, { recursive: true }));
  return `file:${path}`;
}

const startUpstream = (): Promise<IssuingUpstream> =>
  startIssuingUpstream({
    [WEB]: frontend("development", "web"),
    [SERVER]: backend("development", "*"),
    [OTHER]: backend("development", "*"),
  });

/** Starts a proxy with a store that a previous one has filled. */
async function startWithStoredKeys(upstream: IssuingUpstream, { maxAgeMs = 7 * DAY_MS } = {}) {
  const store = await loadStoreConfig(await createStore());
  const first = await startWithUpstreamKeys({ upstream, config: { store } });
  expect(await first.statusOf(WEB)).toBe(200);
  expect(await first.statusOf(SERVER, DEFINITIONS)).toBe(200);
  await first.close();
  upstream.calls.length = 0;
  const config = { store, ...revalidateEvery(HOUR_MS, maxAgeMs) };
  return startWithUpstreamKeys({ upstream, config });
}

/** Holds all calls back; the result responds to them, and later ones at once. */
function hold(upstream: IssuingUpstream): () => void {
  const held: (() => void)[] = [];
  upstream.respond = (response, tokens) =>
    held.push(() =>
      sendTokens(
        response,
        tokens.flatMap((token) => {
          const issued = upstream.issued.get(token);
          return issued === undefined ? [] : [{ token, ...issued }];
        }),
      ),
    );
  return () => {
    upstream.respond = undefined;
    for (const respond of held) respond();
  };
}

/** Stops this process for a time, as a debugger or a paused virtual machine does. */
function pause(timeMs: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, timeMs);
}

/**
 * Sends requests with a revoked key at the same time. None may be accepted before the upstream has had a second to
 * respond, and soon none at all. NOTE: on a busy machine, the response can take longer.
 */
async function expectRejected(...requests: readonly (() => Promise<number>)[]): Promise<void> {
  const acceptedEarly = await Promise.all(
    requests.map(async (request) => {
      const startMs = performance.now();
      return (await request()) === 200 && performance.now() - startMs < 900;
    }),
  );
  expect(acceptedEarly).toEqual(requests.map(() => false));
  const statuses = () => Promise.all(requests.map((request) => request()));
  await eventually(statuses).toEqual(requests.map(() => 401));
}

/** Runs a function at another time of the system clock. */
async function atTime<T>(offsetMs: number, run: () => Promise<T>): Promise<T> {
  vi.useFakeTimers({ now: Date.now() + offsetMs, toFake: ["Date"] });
  try {
    return await run();
  } finally {
    vi.useRealTimers();
  }
}

test("a key in the store that was revoked during a restart is never accepted", async () => {
  const upstream = await startUpstream();
  const { statusOf } = await startWithStoredKeys(upstream);
  upstream.issued.delete(SERVER);
  await expectRejected(...Array.from({ length: 10 }, () => () => statusOf(SERVER, DEFINITIONS)));
  expect(await statusOf(WEB)).toBe(200);
});

test("while the upstream is slow, a key in the store counts after a second, until the verdict", async () => {
  const upstream = await startUpstream();
  const { url, statusOf } = await startWithStoredKeys(upstream);
  const release = hold(upstream);
  upstream.issued.delete(SERVER);
  const startMs = performance.now();
  expect(await statusOf(SERVER, DEFINITIONS)).toBe(200);
  expect(performance.now() - startMs).toBeGreaterThan(900);
  const stream = await readEvents(`${url}/api/client/streaming`, {
    headers: { authorization: SERVER },
  });
  expect(await statusOf(SERVER, DEFINITIONS)).toBe(200);
  release();
  await stream.ended;
  expect(await statusOf(SERVER, DEFINITIONS)).toBe(401);
});

test("while the upstream hangs, a key waits only once", async () => {
  const upstream = await startUpstream();
  const { statusOf } = await startWithUpstreamKeys({ upstream, config: revalidateEvery(100) });
  expect(await statusOf(WEB)).toBe(200);
  upstream.respond = () => {};
  const startMs = performance.now();
  for (let i = 0; i < 30; i++) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    expect(await statusOf(WEB)).toBe(200);
  }
  expect(performance.now() - startMs).toBeLessThan(15_000);
});

test("a key in the store that is older than FLAGS_UPSTREAM_KEYS_MAX_AGE gets a 503 while the upstream is down", async () => {
  const upstream = await startUpstream();
  const { statusOf } = await startWithStoredKeys(upstream, { maxAgeMs: 1 });
  await upstream.stop();
  expect(await statusOf(WEB)).toBe(503);
  await upstream.restart();
  await eventually(() => statusOf(WEB)).toBe(200);
});

test("while the upstream is down, keys and their streams end after FLAGS_UPSTREAM_KEYS_MAX_AGE", async () => {
  const upstream = await startUpstream();
  const config = revalidateEvery(100, 2000);
  const { url, statusOf } = await startWithUpstreamKeys({ upstream, config });
  const stream = await readEvents(`${url}/api/client/streaming`, {
    headers: { authorization: SERVER },
  });
  await upstream.stop();
  expect(await statusOf(SERVER, DEFINITIONS)).toBe(200);
  await stream.ended;
  expect(await statusOf(SERVER, DEFINITIONS)).toBe(503);
});

test.each([
  ["an hour ahead", HOUR_MS, 200],
  ["a day behind", -DAY_MS, 200],
  ["eight days ahead", 8 * DAY_MS, 503],
  ["eight days behind", -8 * DAY_MS, 503],
])(
  "a key that was stored with a clock %s is verified again, or counts for a limited time",
  async (_, offsetMs, whileDown) => {
    const upstream = await startUpstream();
    const start = () => atTime(offsetMs, () => startWithStoredKeys(upstream));
    const revoked = await start();
    upstream.issued.delete(WEB);
    await expectRejected(() => revoked.statusOf(WEB));
    await revoked.close();

    upstream.issued.set(WEB, frontend("development", "web"));
    const { statusOf } = await start();
    await upstream.stop();
    expect(await statusOf(WEB)).toBe(whileDown);
  },
);

test("a replica does not accept a revoked key because another one has verified it", async () => {
  const upstream = await startUpstream();
  const store = await loadStoreConfig(await createStore());
  const one = await startWithUpstreamKeys({ upstream, config: { store } });
  expect(await one.statusOf(WEB)).toBe(200);
  await one.close();
  const two = await startWithUpstreamKeys({ upstream, config: { store } });
  // Reads the store.
  expect(await two.statusOf(SERVER, DEFINITIONS)).toBe(200);
  upstream.issued.delete(WEB);
  await expectRejected(() => two.statusOf(WEB));
});

test("many keys that are due at once cause at most four calls a second, one after the other", async () => {
  const tokens = Array.from({ length: 200 }, (_, index) => `*:development.a-secret-${index}`);
  const upstream = await startIssuingUpstream(
    Object.fromEntries(tokens.map((token) => [token, frontend("development", "*")])),
  );
  const store = await loadStoreConfig(await createStore());
  const first = await startWithUpstreamKeys({ upstream, config: { store } });
  const all = ({ statusOf }: Pick<typeof first, "statusOf">) =>
    Promise.all(tokens.map((token) => statusOf(token)));
  expect(new Set(await all(first))).toEqual(new Set([200]));
  await first.close();
  upstream.calls.length = 0;
  let isBusy = false;
  upstream.respond = (response, requested) => {
    expect(isBusy).toBe(false);
    isBusy = true;
    setTimeout(() => {
      isBusy = false;
      sendTokens(
        response,
        requested.map((token) => ({ token, ...upstream.issued.get(token) })),
      );
    }, 20);
  };
  const second = await startWithUpstreamKeys({ upstream, config: { store } });
  const startMs = performance.now();
  expect(new Set(await all(second))).toEqual(new Set([200]));
  await eventually(() => upstream.calls.flat().length).toBeGreaterThanOrEqual(tokens.length);
  const seconds = (performance.now() - startMs) / 1000;
  expect(upstream.calls.length).toBeLessThanOrEqual(2 + 4 * seconds);
  expect(Math.max(...upstream.calls.map(({ length }) => length))).toBeLessThanOrEqual(150);
});

test("after a pause, neither a revoked key nor its stream address is accepted", async () => {
  const upstream = await startUpstream();
  const { url, statusOf } = await startWithUpstreamKeys({
    upstream,
    config: revalidateEvery(1000),
  });
  const address = await fetch(`${url}/proxy/stream`, {
    method: "POST",
    headers: { authorization: WEB, "content-type": "application/json" },
    body: '{"context":{}}',
  });
  const { url: streamUrl } = (await address.json()) as { readonly url: string };
  expect(await statusOf(SERVER, DEFINITIONS)).toBe(200);
  const validate = async (): Promise<number> => {
    const response = await fetch(`${url}/edge/validate`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ tokens: [WEB, SERVER] }),
    });
    const { tokens } = (await response.json()) as { readonly tokens: { readonly token: string }[] };
    expect(tokens.at(-1)).toMatchObject({ token: SERVER });
    return tokens.length === 2 ? 200 : 401;
  };
  expect(await validate()).toBe(200);
  upstream.issued.delete(WEB);
  pause(1200);
  const openStream = async (): Promise<number> => {
    const { status, body } = await fetch(streamUrl);
    await body?.cancel();
    return status;
  };
  await expectRejected(() => statusOf(WEB), openStream, validate);
  expect(await statusOf(SERVER, DEFINITIONS)).toBe(200);
});

async function startWith(store: string, upstream: IssuingUpstream, workers: string) {
  const command = startCommand({
    FLAGS_URL: upstream.url,
    FLAGS_API_TOKEN: "*:development.upstream-1",
    FLAGS_UPSTREAM_KEYS: "true",
    FLAGS_UPSTREAM_KEYS_INTERVAL: "2000",
    FLAGS_STORE: store,
    FLAGS_PROXY_WORKERS: workers,
  });
  const url = await command.listening();
  await untilReady(url);
  /** New connections, which different workers accept. */
  const requests = (key: string) =>
    Array.from({ length: 10 }, () => async (): Promise<number> => {
      const headers = { authorization: key, connection: "close" };
      const response = await fetch(url + DEFINITIONS, { headers });
      await response.text();
      return response.status;
    });
  const use = (key: string) => Promise.all(requests(key).map((request) => request()));
  return { command, requests, use };
}

async function stop(command: Command): Promise<void> {
  command.signal("SIGTERM");
  expect((await command.finished()).code).toBe(0);
}

test.each(["1", "2"])(
  "the command with %s processes never accepts a key that was revoked while it was stopped or paused",
  async (workers) => {
    const upstream = await startUpstream();
    const store = await createStore();
    const first = await startWith(store, upstream, workers);
    expect(await first.use(OTHER)).not.toContain(401);
    expect(await first.use(SERVER)).not.toContain(401);
    first.command.signal("SIGSTOP");
    upstream.issued.delete(SERVER);
    pause(2500);
    first.command.signal("SIGCONT");
    await expectRejected(...first.requests(SERVER));

    await stop(first.command);
    const second = await startWith(store, upstream, workers);
    upstream.issued.delete(OTHER);
    await expectRejected(...second.requests(OTHER));
  },
);
