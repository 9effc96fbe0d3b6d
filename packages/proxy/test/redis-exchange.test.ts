// The lease and the flags in a real Redis server, as seen by single replicas.

import { randomUUID } from "node:crypto";
import type { SharingRequest, SharingState } from "../src/upstream/sharing/flag-exchange.ts";
import { InvalidValue } from "flags-server-kit/command-line";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { parseRedisAddress } from "../src/store/redis/redis-address.ts";
import { RedisConnection } from "../src/store/redis/redis-connection.ts";
import { RedisExchange } from "../src/store/redis/redis-exchange.ts";
import { HAS_REDIS, RedisServer } from "./_redis.ts";

const { signal } = new AbortController();
const LEASE_MS = 30_000;

const definitionsOf = (...names: string[]) => ({
  version: 2,
  features: names.map((name) => ({ name })),
  segments: [],
});

describe.skipIf(!HAS_REDIS)("an exchange", () => {
  let redis: RedisServer;

  beforeAll(async () => {
    redis = await RedisServer.start();
  });
  afterAll(() => redis.stop());

  function createSource(server = redis) {
    const id = randomUUID();
    const key = `flags:v1/sources/{${id}}`;
    const createReplica = (secret = "secret") => {
      const address = parseRedisAddress(server.address);
      if (address instanceof InvalidValue) throw new Error(address.detail);
      const connection = new RedisConnection({ address });
      onTestFinished(() => connection.close());
      const exchange = new RedisExchange(connection, { id, secret });
      const owner = randomUUID();
      const contact = (request: Partial<SharingRequest> = {}): Promise<SharingState> =>
        exchange.contact(
          {
            owner,
            leaseMs: LEASE_MS,
            wants: "failing",
            knownEpoch: 0,
            confirmedAgeMs: undefined,
            upstreamAgeMs: 0,
            isFailing: false,
            ...request,
          },
          signal,
        );
      const publish = (epoch: number, counter: number, ...names: string[]): Promise<boolean> =>
        exchange.publish(
          owner,
          {
            version: { epoch, counter },
            revision: "r",
            definitions: definitionsOf(...names),
            confirmedAgeMs: 0,
            upstreamAgeMs: 0,
          },
          signal,
        );
      return { exchange, owner, contact, publish };
    };
    return { key, createReplica };
  }

  test("an exchange has one holder at a time, which keeps its epoch", async () => {
    const { createReplica } = createSource();
    const [first, second] = [createReplica(), createReplica()];
    const taken = await first.contact();
    expect(taken).toMatchObject({ isHolder: true, version: undefined, confirmedAgeMs: undefined });
    expect(await second.contact()).toMatchObject({ isHolder: false, epoch: taken.epoch });
    expect(await first.contact()).toMatchObject({ isHolder: true, epoch: taken.epoch });
    await first.exchange.release(second.owner, signal);
    expect((await second.contact()).isHolder).toBe(false);
    await first.exchange.release(first.owner, signal);
    const next = await second.contact();
    expect(next.isHolder).toBe(true);
    expect(next.epoch).toBeGreaterThan(taken.epoch);
  });

  test("an exchange rejects the publication of a replica that has lost the lease", async () => {
    const { key, createReplica } = createSource();
    const [frozen, other] = [createReplica(), createReplica()];
    const { epoch } = await frozen.contact();
    expect(await frozen.publish(epoch, 1, "first")).toBe(true);
    // As if the lease had expired.
    redis.cli("DEL", `${key}:lease`);
    expect(await frozen.publish(epoch, 2, "old")).toBe(false);
    const taken = await other.contact();
    expect(taken).toMatchObject({ isHolder: true, version: { epoch, counter: 1 } });
    expect(await other.publish(taken.epoch, 1, "new")).toBe(true);
    expect(await frozen.publish(epoch, 2, "old")).toBe(false);
    expect(await frozen.publish(taken.epoch, 2, "old")).toBe(false);
    const flags = await frozen.exchange.read(signal);
    expect(flags).toMatchObject({ version: { epoch: taken.epoch, counter: 1 } });
    expect(JSON.parse(flags?.text ?? "")).toEqual(definitionsOf("new"));
  });

  test("the lease expires", async () => {
    const { createReplica } = createSource();
    const [first, second] = [createReplica(), createReplica()];
    await first.contact({ leaseMs: 50 });
    await expect.poll(async () => (await second.contact()).isHolder).toBe(true);
  });

  test("the lease of a failing holder goes to a replica that may reach the upstream", async () => {
    const { createReplica } = createSource();
    const [failing, alsoFailing, other] = [createReplica(), createReplica(), createReplica()];
    await failing.contact();
    await failing.contact({ isFailing: true });
    const state = await alsoFailing.contact({ wants: "free" });
    expect(state).toMatchObject({ isHolder: false, isHolderFailing: true });
    expect(await other.contact()).toMatchObject({ isHolder: true, isHolderFailing: false });
    expect(await failing.contact({ wants: "free" })).toMatchObject({
      isHolder: false,
      isHolderFailing: false,
    });
  });

  test("holder and followers notice that Redis is out of memory", async () => {
    const full = await RedisServer.start();
    onTestFinished(() => full.stop());
    const { createReplica } = createSource(full);
    const [holder, follower] = [createReplica(), createReplica()];
    const { epoch } = await holder.contact();
    await follower.contact();
    full.cli("CONFIG", "SET", "maxmemory", "1");
    await expect(holder.publish(epoch, 1, "a")).rejects.toThrow("OOM");
    await expect(holder.contact()).rejects.toThrow("OOM");
    await expect(follower.contact()).rejects.toThrow("OOM");
    full.cli("CONFIG", "SET", "maxmemory", "0");
    expect((await holder.contact()).isHolder).toBe(true);
    expect((await follower.contact()).isHolder).toBe(false);
  });

  test("only the holder confirms flags, at the time of Redis", async () => {
    const { createReplica } = createSource();
    const [holder, other] = [createReplica(), createReplica()];
    const { epoch } = await holder.contact({ confirmedAgeMs: 5 });
    expect((await other.contact({ confirmedAgeMs: 5 })).confirmedAgeMs).toBeUndefined();
    await holder.publish(epoch, 1, "a");
    expect((await other.contact()).confirmedAgeMs).toBeLessThan(10_000);
    await holder.contact({ confirmedAgeMs: 70_000 });
    const { confirmedAgeMs } = await other.contact({ confirmedAgeMs: 5 });
    expect(confirmedAgeMs).toBeGreaterThanOrEqual(70_000);
  });

  test("followers learn how old the flags were when the upstream of the holder sent them", async () => {
    const { key, createReplica } = createSource();
    const [holder, other] = [createReplica(), createReplica()];
    const { epoch } = await holder.contact();
    await holder.publish(epoch, 1, "a");
    expect((await other.contact()).upstreamAgeMs).toBe(0);
    await holder.contact({ confirmedAgeMs: 5, upstreamAgeMs: 60_000 });
    expect((await other.contact()).upstreamAgeMs).toBe(60_000);
    await holder.contact({ confirmedAgeMs: 5, upstreamAgeMs: undefined });
    expect((await other.contact()).upstreamAgeMs).toBeUndefined();
    // As with a holder of an earlier version.
    redis.cli("HDEL", `${key}:shared`, "upstreamAge");
    expect((await other.contact()).upstreamAgeMs).toBe(0);
  });

  test("flags that were confirmed in the future count as not confirmed", async () => {
    const { key, createReplica } = createSource();
    const [holder, other] = [createReplica(), createReplica()];
    const { epoch } = await holder.contact();
    await holder.publish(epoch, 1, "a");
    redis.cli("HSET", `${key}:shared`, "confirmed", "9000000000000000");
    expect((await other.contact()).confirmedAgeMs).toBeUndefined();
  });

  test("a replica can take the lease of a holder that publishes nothing", async () => {
    const { createReplica } = createSource();
    const [holder, other] = [createReplica(), createReplica()];
    const { epoch } = await holder.contact();
    expect((await other.contact({ wants: "failing" })).isHolder).toBe(false);
    const taken = await other.contact({ wants: "any" });
    expect(taken.isHolder).toBe(true);
    expect(taken.epoch).toBeGreaterThan(epoch);
    expect((await holder.contact({ wants: "free" })).isHolder).toBe(false);
  });

  test("an exchange ignores a lease that is longer than any of a replica", async () => {
    const { key, createReplica } = createSource();
    const replica = createReplica();
    redis.cli("SET", `${key}:lease`, "x 1", "PX", "37500");
    expect((await replica.contact()).isHolder).toBe(false);
    redis.cli("SET", `${key}:lease`, "x 1", "PX", "40000");
    expect((await replica.contact()).isHolder).toBe(true);
  });

  test("epochs increase even if Redis has lost its data", async () => {
    const { createReplica } = createSource();
    const [first, second] = [createReplica(), createReplica()];
    const { epoch } = await first.contact();
    redis.cli("FLUSHALL");
    redis.cli("SCRIPT", "FLUSH");
    const later = await second.contact({ knownEpoch: epoch + 1_000_000 });
    expect(later.epoch).toBeGreaterThan(epoch + 1_000_000);
  });

  test.each([
    ["a lease that does not expire", "lease", "x 1"],
    ["a lease with an absurd epoch", "lease", `x ${"9".repeat(16)}`],
    ["a lease of another form", "lease", "nonsense"],
  ])("an exchange is not blocked by %s", async (_name, part, value) => {
    const { key, createReplica } = createSource();
    const replica = createReplica();
    redis.cli("SET", `${key}:${part}`, value);
    redis.cli("HSET", `${key}:shared`, "epoch", "9".repeat(30), "confirmed", "x", "version", "1.x");
    const { isHolder, epoch, version } = await replica.contact();
    expect({ isHolder, version }).toEqual({ isHolder: true, version: undefined });
    expect(Number.isSafeInteger(epoch)).toBe(true);
    expect(await replica.publish(epoch, 1, "a")).toBe(true);
  });

  test.each(["lease", "shared"])(
    "an exchange replaces the key %s if another program has written it with another type",
    async (part) => {
      const { key, createReplica } = createSource();
      const replica = createReplica();
      redis.cli("DEL", `${key}:${part}`);
      redis.cli("LPUSH", `${key}:${part}`, "x");
      const { isHolder, epoch } = await replica.contact();
      expect(isHolder).toBe(true);
      expect(await replica.publish(epoch, 1, "a")).toBe(true);
      expect((await replica.exchange.read(signal))?.revision).toBe("r");
    },
  );

  test("an exchange deletes flags that were written without the secret", async () => {
    const { createReplica } = createSource();
    const [attacker, replica] = [createReplica("guess"), createReplica()];
    const { epoch } = await attacker.contact();
    await attacker.publish(epoch, 1, "evil");
    await expect(replica.exchange.read(signal)).rejects.toThrow(
      "The shared flags are not used: the document was damaged, or not written with the upstream token",
    );
    expect(await replica.exchange.read(signal)).toBeUndefined();
  });
});
