// Connections to real servers: one server, Sentinel, a cluster, TLS and users; and what happens when they fail.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { InvalidValue } from "flags-server-kit/command-line";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { parseRedisAddress } from "../src/store/redis/redis-address.ts";
import { RedisConnection } from "../src/store/redis/redis-connection.ts";
import { RedisStore } from "../src/store/redis/redis-store.ts";
import type { Store } from "../src/store/store.ts";
import { Authority, writeFiles } from "./_certificates.ts";
import { openTestStore } from "./_stores.ts";
import { HAS_REDIS, RedisServer, startCluster, startSentinel } from "./_redis.ts";

const WAIT = { timeout: 30_000, interval: 20 };

function connect(text: string): RedisConnection {
  const address = parseRedisAddress(text);
  if (address instanceof InvalidValue) throw new Error(address.detail);
  const connection = new RedisConnection({ address });
  onTestFinished(() => connection.close());
  return connection;
}

function signalAfter(ms = 5000): AbortSignal {
  return AbortSignal.timeout(ms);
}

async function readText(store: Store, key: string): Promise<string | undefined> {
  const content = await store.read(key, signalAfter());
  return content && Buffer.from(content).toString();
}

/** Resolves once an operation succeeds. */
async function untilWritten(store: Store, text: string): Promise<void> {
  await vi.waitFor(() => store.write("key", Buffer.from(text), signalAfter(1000)), WAIT);
}

/** Runs every script of an exchange, and receives a message. */
async function useExchange(store: Store): Promise<void> {
  const exchange = store.createExchange?.({ id: "source", secret: "secret" });
  if (exchange === undefined) throw new Error("There is no exchange");
  const onChange = vi.fn();
  exchange.onChange(onChange);
  const ages = { confirmedAgeMs: undefined, upstreamAgeMs: 0 };
  const request = { owner: "owner", leaseMs: 30_000, takesFromFailing: true, isFailing: false };
  const { lease, nextVersion } = await exchange.contact(
    { ...request, ...ages, revision: undefined },
    signalAfter(),
  );
  expect(lease).toBe("taken");
  const definitions = { version: 2, features: [], segments: [] };
  const flags = { version: nextVersion, revision: "r", definitions, ...ages };
  await exchange.publish("owner", flags, signalAfter());
  expect((await exchange.read(signalAfter())).version).toBe(nextVersion);
  await vi.waitFor(() => expect(onChange).toHaveBeenCalled(), WAIT);
  await exchange.release("owner", signalAfter());
}

async function stopAfterTest<T extends { stop(): Promise<void> }>(
  starting: Promise<T>,
): Promise<T> {
  const started = await starting;
  onTestFinished(() => started.stop());
  return started;
}

test("a server that is not Redis is explained", async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const store = new RedisStore(connect(`redis://127.0.0.1:${port}`));
  await expect(store.read("key", signalAfter())).rejects.toThrow(
    "the server closed the connection: check that it is Redis, and whether FLAGS_STORE must begin with rediss:// for TLS",
  );
});

describe.skipIf(!HAS_REDIS)("a connection to Redis", () => {
  test("a connection fails immediately without a server, and works as soon as there is one", async () => {
    const redis = await stopAfterTest(RedisServer.start());
    const store = new RedisStore(connect(redis.address));
    await untilWritten(store, "first");
    await redis.kill();
    await expect
      .poll(() => store.read("key", signalAfter()).then(String, String), WAIT)
      .toContain("ECONNREFUSED");
    await redis.restart();
    await untilWritten(store, "second");
    expect(await readText(store, "key")).toBe("second");
  });

  test("a connection gives up on a server that hangs, and rejects more work than it can queue", async () => {
    const redis = await stopAfterTest(RedisServer.start());
    const connection = connect(redis.address);
    const store = new RedisStore(connection);
    await untilWritten(store, "first");
    redis.freeze();
    const failures = await Promise.all(
      Array.from({ length: 2000 }, () => store.read("key", signalAfter(500)).catch(String)),
    );
    expect(failures.every((failure) => typeof failure === "string")).toBe(true);
    expect(failures.some((failure) => String(failure).includes("queue is full"))).toBe(true);
    redis.resume();
    await untilWritten(store, "second");
  });

  test("a connection delivers messages, including those of channels that were added before a reconnect", async () => {
    const redis = await stopAfterTest(RedisServer.start());
    const connection = connect(redis.address);
    await untilWritten(new RedisStore(connection), "ready");
    const first = vi.fn();
    const second = vi.fn();
    connection.subscribe("first", first);
    connection.subscribe("second", second);
    await vi.waitFor(() => expect(redis.cli("PUBLISH", "first", "x")).toBe("1"), WAIT);
    await vi.waitFor(() => expect(first).toHaveBeenCalled(), WAIT);
    await redis.kill();
    await redis.restart();
    // After a reconnect, all listeners are called, because messages may have been lost.
    await vi.waitFor(() => expect(second).toHaveBeenCalled(), WAIT);
    second.mockClear();
    await vi.waitFor(() => expect(redis.cli("PUBLISH", "second", "x")).toBe("1"), WAIT);
    await vi.waitFor(() => expect(second).toHaveBeenCalled(), WAIT);
  });

  test("a connection uses TLS, a user and a database, and needs few permissions", async () => {
    const authority = new Authority();
    const identity = authority.issue("redis");
    const files = writeFiles({ ...identity, ca: authority.cert });
    const redis = await stopAfterTest(
      RedisServer.start({
        config: (port) => [
          `tls-port ${port}`,
          "port 0",
          `tls-cert-file ${files.cert}`,
          `tls-key-file ${files.key}`,
          `tls-ca-cert-file ${files.ca}`,
          "tls-auth-clients no",
          "user default off",
          "user admin on nopass ~* &* +@all",
          "user flags on >p@ss resetkeys ~flags:* resetchannels &flags:* -@all +@connection +get +set +del +hget +hmget +hset +hdel +pexpire +pttl +time +publish +subscribe +eval +evalsha",
        ],
        cli: ["--tls", "--cacert", files.ca, "--user", "admin", "--pass", "x", "--no-auth-warning"],
      }),
    );
    const address = `127.0.0.1:${redis.port}/2`;
    const trusted = { FLAGS_STORE_CA_FILE: files.ca };
    const store = await openTestStore(`rediss://flags@${address}`, {
      ...trusted,
      FLAGS_STORE_PASSWORD: "p@ss",
    });
    await untilWritten(store, "secret");
    expect(await readText(store, "key")).toBe("secret");
    expect(redis.cli("-n", "2", "GET", "flags:key")).toBe("secret");
    await useExchange(store);
    // On a busy machine, a first attempt to connect can time out.
    const resultOf = (other: Store) => () => readText(other, "key").catch(String);
    const encoded = await openTestStore(`rediss://flags:p%40ss@${address}`, trusted);
    await expect.poll(resultOf(encoded), WAIT).toBe("secret");
    const wrong = await openTestStore(`rediss://flags:wrong@${address}`, trusted);
    await expect.poll(resultOf(wrong), WAIT).toContain("WRONGPASS");
    const untrusted = await openTestStore(`rediss://flags:p%40ss@${address}`);
    await expect.poll(resultOf(untrusted), WAIT).toContain("certificate");
  });

  test("a connection follows the primary that the Sentinels name", async () => {
    const { address, primary, replica } = await stopAfterTest(startSentinel());
    const store = new RedisStore(connect(address));
    await untilWritten(store, "first");
    expect(primary.cli("GET", "flags:key")).toBe("first");
    const unknown = new RedisStore(connect(address.replace(/[^/]*$/, "other")));
    await expect(unknown.read("key", signalAfter())).rejects.toThrow(
      "The Sentinels monitor no primary with the name other",
    );
    await primary.kill();
    await untilWritten(store, "second");
    expect(replica.cli("GET", "flags:key")).toBe("second");
  });

  test("a connection finds keys and channels of a cluster", async () => {
    const { address, servers } = await stopAfterTest(startCluster());
    const connection = connect(address);
    const store = new RedisStore(connection);
    for (const key of ["a", "b", "c", "d"]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await vi.waitFor(() => store.write(key, Buffer.from(key), signalAfter()), WAIT);
      // oxlint-disable-next-line no-await-in-loop -- as above
      expect(await readText(store, key)).toBe(key);
    }
    const listener = vi.fn();
    connection.subscribe("channel", listener);
    await vi.waitFor(
      () => {
        servers[0]?.cli("PUBLISH", "channel", "x");
        expect(listener).toHaveBeenCalled();
      },
      { ...WAIT, interval: 100 },
    );
  });
});
