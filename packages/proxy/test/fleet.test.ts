// A fleet of real processes with one Redis: what happens when processes die or hang.

import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { documentOf, FEATURES, flag, serve, Upstream } from "../../sdk/test/_upstream.ts";
import { type Command, eventually, startCommand, untilReady } from "./_command.ts";
import { HAS_REDIS, RedisServer, startSentinel } from "./_redis.ts";

const KEY = "client-key";
const INTERVAL_MS = 1000;

type Role = "holder" | "follower" | "alone";

interface Proxy {
  readonly command: Command;
  readonly url: string;
}

/** The flags are named after their version: v1, v2, ... */
class Fleet {
  readonly upstream: Upstream;
  readonly proxies: readonly Proxy[];
  #version = 1;

  private constructor(upstream: Upstream, proxies: readonly Proxy[]) {
    this.upstream = upstream;
    this.proxies = proxies;
  }

  static async start(
    store: string,
    count: number,
    environment: Readonly<Record<string, string>> = {},
  ): Promise<Fleet> {
    const upstream = await Upstream.start();
    onTestFinished(() => upstream.close());
    upstream.features(serve(documentOf(flag("v1"))));
    const proxies = await Promise.all(
      Array.from({ length: count }, () => startProxy(upstream, store, environment)),
    );
    const fleet = new Fleet(upstream, proxies);
    await fleet.untilRoles({ holder: 1, follower: count - 1 });
    return fleet;
  }

  async untilRoles(expected: Partial<Record<Role, number>>, proxies = this.proxies): Promise<void> {
    await eventually(async () => countRoles(proxies)).toEqual(expected);
  }

  async holder(): Promise<Proxy> {
    const roles = await Promise.all(this.proxies.map(roleOf));
    const holder = this.proxies[roles.indexOf("holder")];
    if (holder === undefined) throw new Error("There is no holder");
    return holder;
  }

  /** Changes the flags, and waits until proxies serve them. */
  async change(proxies = this.proxies): Promise<void> {
    this.#version += 1;
    const name = `v${this.#version}`;
    this.upstream.features(serve(documentOf(flag(name))));
    await Promise.all(proxies.map((proxy) => eventually(() => flagsOf(proxy)).toEqual([name])));
  }

  /** Returns how many processes have polled since a request. */
  pollersSince(start: number): number {
    const polls = this.upstream.seen(FEATURES).slice(start);
    return new Set(polls.map(({ headers }) => headers["unleash-connection-id"])).size;
  }

  get polls(): number {
    return this.upstream.seen(FEATURES).length;
  }
}

async function startProxy(
  upstream: Upstream,
  store: string,
  environment: Readonly<Record<string, string>>,
): Promise<Proxy> {
  const command = startCommand({
    FLAGS_URL: upstream.url,
    FLAGS_API_TOKEN: "*:production.upstream-token",
    FLAGS_PROXY_CLIENT_KEYS: KEY,
    FLAGS_FETCH_INTERVAL: String(INTERVAL_MS),
    FLAGS_METRICS_INTERVAL: "0",
    FLAGS_STORE: store,
    LOG_LEVEL: "info",
    ...environment,
  });
  const url = await command.listening();
  await untilReady(url);
  return { command, url };
}

async function flagsOf({ url }: Proxy): Promise<readonly string[]> {
  const response = await fetch(`${url}/proxy`, { headers: { authorization: KEY } });
  if (response.status !== 200) throw new Error(`The status is ${response.status}`);
  const { toggles } = (await response.json()) as { toggles: { name: string }[] };
  return toggles.map(({ name }) => name);
}

async function metricsOf({ url }: Proxy): Promise<string> {
  const response = await fetch(`${url}/proxy/internal-backstage/prometheus`);
  return response.text();
}

/** Returns the value of a metric about the shared flags. */
function valueIn(metrics: string, name: string): number {
  const pattern = new RegExp(`^flags_proxy_sharing_${name}\\{source="production"\\} (\\S+)$`, "m");
  return Number(pattern.exec(metrics)?.[1]);
}

async function roleOf(proxy: Proxy): Promise<Role | undefined> {
  const metrics = await metricsOf(proxy);
  const [, role] = /_sharing_role\{source="production",role="(\w+)"\} 1/.exec(metrics) ?? [];
  return role as Role | undefined;
}

async function countRoles(proxies: readonly Proxy[]): Promise<Partial<Record<string, number>>> {
  const counts: Partial<Record<string, number>> = {};
  for (const role of await Promise.all(proxies.map(roleOf))) {
    counts[role ?? "none"] = (counts[role ?? "none"] ?? 0) + 1;
  }
  return counts;
}

/** Requests flags continuously until the test ends. */
class Clients {
  readonly #versions = new Map<Proxy, number[]>();
  readonly #stopped = new AbortController();
  readonly #running: Promise<unknown>;

  constructor(proxies: readonly Proxy[]) {
    this.#running = Promise.all(proxies.map((proxy) => this.#run(proxy)));
    this.#running.catch(() => undefined);
    onTestFinished(() => this.#stopped.abort());
  }

  /** Rejects if a request has failed. Checks that no proxy has served older flags after newer ones. */
  async finish(): Promise<void> {
    this.#stopped.abort();
    await this.#running;
    for (const versions of this.#versions.values()) {
      expect(versions.length).toBeGreaterThan(0);
      expect(versions).toEqual(versions.toSorted((a, b) => a - b));
    }
  }

  async #run(proxy: Proxy): Promise<void> {
    const versions: number[] = [];
    this.#versions.set(proxy, versions);
    while (!this.#stopped.signal.aborted) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const [name = ""] = await flagsOf(proxy);
      const version = Number(name.slice(1));
      if (versions.at(-1) !== version) versions.push(version);
      // oxlint-disable-next-line no-await-in-loop -- leaves the processor to the proxies for most of the time
      await delay(50, undefined, { signal: this.#stopped.signal }).catch(() => undefined);
    }
  }
}

describe.skipIf(!HAS_REDIS)("a fleet", () => {
  let redis: RedisServer;

  beforeAll(async () => {
    redis = await RedisServer.start();
  });
  afterAll(() => redis.stop());

  // Every fleet has its own upstream, so they do not share flags with each other.
  test("polls once for all, even after the polling process has hung or was killed", async () => {
    const startedAt = Date.now() / 1000;
    const fleet = await Fleet.start(redis.address, 3);
    let start = fleet.polls;
    await fleet.change();
    expect(fleet.pollersSince(start)).toBe(1);

    const frozen = await fleet.holder();
    const others = fleet.proxies.filter((proxy) => proxy !== frozen);
    const clients = new Clients(others);
    frozen.command.signal("SIGSTOP");
    await fleet.untilRoles({ holder: 1, follower: 1 }, others);
    const metrics = await Promise.all(others.map(metricsOf));
    expect(metrics.map((text) => valueIn(text, "takeovers_total")).toSorted()).toEqual([0, 1]);
    for (const text of metrics) {
      expect(valueIn(text, "last_contact_timestamp_seconds")).toBeGreaterThan(startedAt);
    }
    await fleet.change(others);
    frozen.command.signal("SIGCONT");
    await fleet.untilRoles({ holder: 1, follower: 2 });
    start = fleet.polls;
    await fleet.change();
    expect(fleet.pollersSince(start)).toBe(1);
    await clients.finish();

    const killed = await fleet.holder();
    const survivors = fleet.proxies.filter((proxy) => proxy !== killed);
    killed.command.signal("SIGKILL");
    await fleet.untilRoles({ holder: 1, follower: 1 }, survivors);
    await fleet.change(survivors);
  });

  test("works while Redis is down or hangs, and shares again afterwards", async () => {
    const own = await RedisServer.start();
    onTestFinished(() => own.stop());
    const fleet = await Fleet.start(own.address, 2);
    const clients = new Clients(fleet.proxies);
    const untilShared = async (): Promise<void> => {
      await fleet.untilRoles({ holder: 1, follower: 1 });
      const start = fleet.polls;
      await fleet.change();
      expect(fleet.pollersSince(start)).toBe(1);
    };

    await own.kill();
    await fleet.untilRoles({ alone: 2 });
    await fleet.change();
    await own.restart();
    await untilShared();

    own.freeze();
    await fleet.untilRoles({ alone: 2 });
    await fleet.change();
    own.resume();
    await untilShared();

    await clients.finish();
    const { stdout, stderr } = fleet.proxies[0]?.command.output ?? {};
    const log = `${stdout}${stderr}`;
    expect(log).toContain("Flags are not shared with other replicas");
    expect(log).toContain("Flags are shared with other replicas again");
    expect(log).not.toContain("upstream-token");
  });

  test("follows the Sentinels to a new primary", async () => {
    const servers = await startSentinel();
    onTestFinished(() => servers.stop());
    const fleet = await Fleet.start(servers.address, 2);
    const clients = new Clients(fleet.proxies);
    await servers.primary.kill();
    await eventually(() => servers.replica.cli("ROLE")).toContain("master");
    await fleet.untilRoles({ holder: 1, follower: 1 });
    await fleet.change();
    await clients.finish();
  });

  test("a proxy with workers takes part once", async () => {
    const fleet = await Fleet.start(redis.address, 2, { FLAGS_PROXY_WORKERS: "2" });
    const start = fleet.polls;
    await fleet.change();
    expect(fleet.pollersSince(start)).toBe(1);
    const holder = await fleet.holder();
    const others = fleet.proxies.filter((proxy) => proxy !== holder);
    holder.command.signal("SIGTERM");
    expect((await holder.command.finished()).code).toBe(0);
    await fleet.untilRoles({ holder: 1 }, others);
    await fleet.change(others);
  });

  test("each proxy polls if sharing is disabled", async () => {
    const upstream = await Upstream.start();
    onTestFinished(() => upstream.close());
    const disabled = { FLAGS_SHARED_POLLING: "false" };
    const proxies = await Promise.all(
      [1, 2].map(() => startProxy(upstream, redis.address, disabled)),
    );
    expect(await Promise.all(proxies.map(roleOf))).toEqual([undefined, undefined]);
    const ids = upstream.seen(FEATURES).map(({ headers }) => headers["unleash-connection-id"]);
    expect(new Set(ids).size).toBe(2);
  });
});
