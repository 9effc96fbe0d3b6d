// Replicas that share flags through a real Redis server, in one process: their roles, and what they serve.

import { randomUUID } from "node:crypto";

import { UpstreamSource } from "../src/upstream/upstream-source.ts";
import { InvalidValue } from "flags-server-kit/command-line";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { documentOf, FEATURES, flag, serve, Upstream } from "../../sdk/test/_upstream.ts";
import { parseRedisAddress } from "../src/store/redis/redis-address.ts";
import { RedisConnection } from "../src/store/redis/redis-connection.ts";
import { RedisExchange } from "../src/store/redis/redis-exchange.ts";
import { HAS_REDIS, RedisServer } from "./_redis.ts";

const INTERVAL_MS = 100;

/** Like `expect.poll()`, with a timeout for a busy machine. */
const eventually: typeof expect.poll = (read) =>
  expect.poll(read, { timeout: 20_000, interval: 20 });

interface Replica {
  readonly client: UpstreamSource;
  readonly warnings: string[];
  readonly connection: RedisConnection;
}

describe.skipIf(!HAS_REDIS)("replicas with one Redis", () => {
  let redis: RedisServer;

  beforeAll(async () => {
    redis = await RedisServer.start();
  });
  afterAll(() => redis.stop());

  async function startUpstream(): Promise<Upstream> {
    const upstream = await Upstream.start();
    onTestFinished(() => upstream.close());
    return upstream;
  }

  function connect(port: number = redis.port): RedisConnection {
    const address = parseRedisAddress(`redis://127.0.0.1:${port}`);
    if (address instanceof InvalidValue) throw new Error(address.detail);
    const connection = new RedisConnection({ address });
    onTestFinished(() => connection.close());
    return connection;
  }

  interface ReplicaOptions {
    readonly url: string;
    readonly id: string;
    readonly secret?: string;
    readonly port?: number;
  }

  function startReplica({ url, id, secret = "secret", port }: ReplicaOptions): Replica {
    const connection = connect(port);
    const client = new UpstreamSource(
      { url, appName: "proxy", refreshIntervalMs: INTERVAL_MS, metricsIntervalMs: 0 },
      { openExchange: async () => new RedisExchange(connection, { id, secret }) },
    );
    const warnings: string[] = [];
    client.on("warn", (message) => warnings.push(message));
    onTestFinished(() => client.close());
    client.start();
    return { client, warnings, connection };
  }

  const namesOf = ({ client }: Replica): readonly string[] =>
    client.snapshot?.flags.map(({ name }) => name) ?? [];
  const roleOf = ({ client }: Replica): string | undefined => client.sharing?.role;

  /** Starts a holder and followers of it. */
  async function startFleet(count: number) {
    const upstream = await startUpstream();
    const options = { url: upstream.url, id: randomUUID() };
    const replicas = Array.from({ length: count }, () => startReplica(options));
    await eventually(() => replicas.map(namesOf)).toEqual(replicas.map(() => ["a"]));
    // On a busy machine, the lease can pass to another replica at any time.
    const roles = [...replicas.slice(1).map(() => "follower"), "holder"];
    await eventually(() => replicas.map(roleOf).toSorted()).toEqual(roles);
    const holder = replicas.find((replica) => roleOf(replica) === "holder");
    if (holder === undefined) throw new Error("No replica has the lease");
    const followers = replicas.filter((replica) => replica !== holder);
    return { upstream, holder, followers, options };
  }

  test("one replica polls, and the others get its flags and its changes", async () => {
    const { upstream, followers } = await startFleet(4);
    const start = upstream.seen(FEATURES).length;
    upstream.features(serve(documentOf(flag("a"), flag("b"))));
    await Promise.all(
      followers.map((follower) => eventually(() => namesOf(follower)).toEqual(["a", "b"])),
    );
    const polls = upstream.seen(FEATURES).slice(start);
    expect(new Set(polls.map(({ headers }) => headers["unleash-connection-id"])).size).toBe(1);
    expect(followers.map(({ client }) => client.origin)).toEqual(["shared", "shared", "shared"]);
  });

  test("followers know when the upstream last confirmed the flags", async () => {
    const startMs = Date.now();
    const { followers } = await startFleet(2);
    const [follower] = followers;
    const first = follower?.client.lastFetchAtMs ?? 0;
    expect(first).toBeGreaterThanOrEqual(startMs);
    expect(first).toBeLessThanOrEqual(Date.now());
    await eventually(() => follower?.client.lastFetchAtMs ?? 0).toBeGreaterThan(first);
  });

  test("when the holder stops, another replica takes the lease immediately", async () => {
    const { upstream, holder, followers } = await startFleet(3);
    await holder.client.close();
    await eventually(() => followers.map(roleOf).toSorted()).toEqual(["follower", "holder"]);
    upstream.features(serve(documentOf(flag("c"))));
    for (const follower of followers) {
      // oxlint-disable-next-line no-await-in-loop -- all of them
      await eventually(() => namesOf(follower)).toEqual(["c"]);
    }
    expect(followers.flatMap(({ client }) => client.sharing?.takeovers)).toContain(1);
  });

  test("a replica that cannot reach the upstream gives the lease to one that can", async () => {
    const upstream = await startUpstream();
    const id = randomUUID();
    const cut = startReplica({ url: "http://127.0.0.1:1/api", id });
    await eventually(() => roleOf(cut)).toBe("holder");
    const connected = startReplica({ url: upstream.url, id });
    await eventually(() => roleOf(connected)).toBe("holder");
    await eventually(() => namesOf(cut)).toEqual(["a"]);
    expect(roleOf(cut)).toBe("follower");
    upstream.features(serve(documentOf(flag("z"))));
    await eventually(() => namesOf(cut)).toEqual(["z"]);
  });

  test("without Redis, every replica polls for itself, and shares again when Redis returns", async () => {
    const own = await RedisServer.start();
    onTestFinished(() => own.stop());
    const upstream = await startUpstream();
    const options = { url: upstream.url, id: randomUUID(), port: own.port };
    const replicas = [startReplica(options), startReplica(options)];
    await eventually(() => replicas.map(roleOf).toSorted()).toEqual(["follower", "holder"]);
    await own.kill();
    await eventually(() => replicas.map(roleOf)).toEqual(["alone", "alone"]);
    upstream.features(serve(documentOf(flag("alone"))));
    await eventually(() => replicas.map(namesOf)).toEqual([["alone"], ["alone"]]);
    await own.restart();
    await eventually(() => replicas.map(roleOf).toSorted()).toEqual(["follower", "holder"]);
    expect(replicas.flatMap(({ warnings }) => warnings)).toContain(
      "Flags are shared with other replicas again",
    );
    upstream.features(serve(documentOf(flag("shared"))));
    await eventually(() => replicas.map(namesOf)).toEqual([["shared"], ["shared"]]);
  });

  test("a replica can start without Redis", async () => {
    const upstream = await startUpstream();
    const replica = startReplica({ url: upstream.url, id: "none", port: 1 });
    await eventually(() => namesOf(replica)).toEqual(["a"]);
    expect(roleOf(replica)).toBe("alone");
    expect(replica.warnings[0]).toMatch(
      /^Flags are not shared with other replicas, .*nothing is listening there/,
    );
  });

  test("a lease that never ends, with flags that are always confirmed, does not freeze the flags", async () => {
    const { followers, holder, options, upstream } = await startFleet(2);
    const name = `flags:v2/sources/{${options.id}}`;
    redis.cli("HSET", `${name}:shared`, "confirmed", "9000000000000000");
    redis.cli("SET", `${name}:lease`, "attacker 9000000000000000", "PX", "1000000000");
    upstream.features(serve(documentOf(flag("thawed"))));
    for (const replica of [...followers, holder]) {
      // oxlint-disable-next-line no-await-in-loop -- all of them
      await eventually(() => namesOf(replica)).toEqual(["thawed"]);
    }
  });

  test("a lease that is always lost does not make replicas request the flags in a loop", async () => {
    const { options, upstream } = await startFleet(2);
    const lease = `flags:v2/sources/{${options.id}}:lease`;
    redis.cli("CONFIG", "SET", "notify-keyspace-events", "K$");
    const connection = connect();
    let deletions = 0;
    onTestFinished(
      connection.subscribe(`__keyspace@0__:${lease}`, () => {
        deletions += 1;
        connection.send(lease, ["DEL", lease], AbortSignal.timeout(20_000)).catch(() => undefined);
      }),
    );
    const startMs = performance.now();
    const start = upstream.seen(FEATURES).length;
    await eventually(() => deletions).toBeGreaterThan(50);
    const polls = upstream.seen(FEATURES).length - start;
    // Two replicas poll at their intervals, and each time they take the lease.
    expect(polls).toBeLessThanOrEqual(10 + (3 * (performance.now() - startMs)) / INTERVAL_MS);
  });

  test("flags that were written without the secret are rejected, and published again", async () => {
    const { followers, options, upstream } = await startFleet(2);
    const key = `flags:v2/sources/{${options.id}}:shared`;
    const poison = String(Date.now() + 60_000);
    redis.cli("HSET", key, "document", "poison", "revision", "other", "version", poison);
    redis.cli("PUBLISH", `flags:v2/sources/{${options.id}}:changes`, "");
    await eventually(() => redis.cli("HGET", key, "version")).not.toBe(poison);
    expect(followers.map(namesOf)).toEqual([["a"]]);
    upstream.features(serve(documentOf(flag("healed"))));
    for (const follower of followers) {
      // oxlint-disable-next-line no-await-in-loop -- all of them
      await eventually(() => namesOf(follower)).toEqual(["healed"]);
    }
  });
});
