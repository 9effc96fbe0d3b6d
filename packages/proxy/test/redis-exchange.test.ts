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
    const key = `flags:v2/sources/{${id}}`;
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
            takesFromFailing: true,
            revision: "r",
            confirmedAgeMs: undefined,
            upstreamAgeMs: 0,
            isFailing: false,
            ...request,
          },
          signal,
        );
      const publish = (version: number, ...names: string[]): Promise<void> =>
        exchange.publish(
          owner,
          {
            version,
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

  test("an exchange has one holder at a time", async () => {
    const { createReplica } = createSource();
    const [first, second] = [createReplica(), createReplica()];
    expect(await first.contact()).toMatchObject({
      lease: "taken",
      version: undefined,
      confirmedAgeMs: undefined,
    });
    expect((await second.contact()).lease).toBe("other");
    expect((await first.contact()).lease).toBe("renewed");
    await first.exchange.release(second.owner, signal);
    expect((await second.contact()).lease).toBe("other");
    await first.exchange.release(first.owner, signal);
    expect((await second.contact()).lease).toBe("taken");
  });

  test("an exchange rejects the publication of a replica that has lost the lease", async () => {
    const { key, createReplica } = createSource();
    const [frozen, other] = [createReplica(), createReplica()];
    await frozen.contact();
    await frozen.publish(1, "first");
    // As if the lease had expired.
    redis.cli("DEL", `${key}:lease`);
    await frozen.publish(2, "old");
    expect(await other.contact()).toMatchObject({ lease: "taken", version: 1 });
    await other.publish(3, "new");
    await frozen.publish(4, "old");
    const { version, text } = await frozen.exchange.read(signal);
    expect({ version, flags: JSON.parse(text) as unknown }).toEqual({
      version: 3,
      flags: definitionsOf("new"),
    });
  });

  test("the lease expires", async () => {
    const { createReplica } = createSource();
    const [first, second] = [createReplica(), createReplica()];
    await first.contact({ leaseMs: 50 });
    await expect.poll(async () => (await second.contact()).lease).toBe("taken");
  });

  test("the lease of a failing holder goes to a replica that may reach the upstream", async () => {
    const { createReplica } = createSource();
    const [failing, alsoFailing, other] = [createReplica(), createReplica(), createReplica()];
    await failing.contact();
    await failing.contact({ isFailing: true });
    const state = await alsoFailing.contact({ takesFromFailing: false });
    expect(state).toMatchObject({ lease: "other", isHolderFailing: true });
    expect(await other.contact()).toMatchObject({ lease: "taken", isHolderFailing: false });
    expect(await failing.contact()).toMatchObject({ lease: "other", isHolderFailing: false });
  });

  test("holder and followers notice that Redis is out of memory", async () => {
    const full = await RedisServer.start();
    onTestFinished(() => full.stop());
    const { createReplica } = createSource(full);
    const [holder, follower] = [createReplica(), createReplica()];
    await holder.contact();
    await follower.contact();
    full.cli("CONFIG", "SET", "maxmemory", "1");
    await expect(holder.publish(1, "a")).rejects.toThrow("OOM");
    await expect(holder.contact()).rejects.toThrow("OOM");
    await expect(follower.contact()).rejects.toThrow("OOM");
    full.cli("CONFIG", "SET", "maxmemory", "0");
    expect((await holder.contact()).lease).toBe("renewed");
    expect((await follower.contact()).lease).toBe("other");
  });

  test("only the holder confirms the published flags, at the time of Redis", async () => {
    const { createReplica } = createSource();
    const [holder, other] = [createReplica(), createReplica()];
    await holder.contact({ confirmedAgeMs: 5 });
    expect((await other.contact({ confirmedAgeMs: 5 })).confirmedAgeMs).toBeUndefined();
    await holder.publish(1, "a");
    expect((await other.contact()).confirmedAgeMs).toBeLessThan(10_000);
    await holder.contact({ confirmedAgeMs: 70_000 });
    await holder.contact({ confirmedAgeMs: 5, revision: "other" });
    const { confirmedAgeMs } = await other.contact({ confirmedAgeMs: 5 });
    expect(confirmedAgeMs).toBeGreaterThanOrEqual(70_000);
  });

  test("followers learn how old the flags were when the upstream of the holder sent them", async () => {
    const { createReplica } = createSource();
    const [holder, other] = [createReplica(), createReplica()];
    await holder.contact();
    await holder.publish(1, "a");
    expect((await other.contact()).upstreamAgeMs).toBe(0);
    await holder.contact({ confirmedAgeMs: 5, upstreamAgeMs: 60_000 });
    expect((await other.contact()).upstreamAgeMs).toBe(60_000);
    await holder.contact({ confirmedAgeMs: 5, upstreamAgeMs: undefined });
    expect((await other.contact()).upstreamAgeMs).toBeUndefined();
  });

  test("flags that were confirmed in the future count as not confirmed", async () => {
    const { key, createReplica } = createSource();
    const [holder, other] = [createReplica(), createReplica()];
    await holder.contact();
    await holder.publish(1, "a");
    redis.cli("HSET", `${key}:shared`, "confirmed", "9000000000000000");
    expect((await other.contact()).confirmedAgeMs).toBeUndefined();
  });

  test("an exchange ignores a lease that is longer than any of a replica", async () => {
    const { key, createReplica } = createSource();
    const replica = createReplica();
    redis.cli("SET", `${key}:lease`, "x 1", "PX", "37500");
    expect((await replica.contact()).lease).toBe("other");
    redis.cli("SET", `${key}:lease`, "x 1", "PX", "40000");
    expect((await replica.contact()).lease).toBe("taken");
  });

  test("an exchange is not blocked by values of another form", async () => {
    const { key, createReplica } = createSource();
    const replica = createReplica();
    redis.cli("HSET", `${key}:shared`, "confirmed", "x", "version", "1.x", "upstreamAge", "x");
    expect(await replica.contact()).toMatchObject({ lease: "taken", version: undefined });
    await replica.publish(1, "a");
    expect((await replica.exchange.read(signal)).version).toBe(1);
  });

  test("an exchange deletes flags that were written without the secret", async () => {
    const { createReplica } = createSource();
    const [attacker, replica] = [createReplica("guess"), createReplica()];
    await attacker.contact();
    await attacker.publish(1, "evil");
    await expect(replica.exchange.read(signal)).rejects.toThrow(
      "The shared flags are not used: the document was damaged, or not written with the upstream token",
    );
    await expect(replica.exchange.read(signal)).rejects.toThrow("There are no shared flags");
  });
});
