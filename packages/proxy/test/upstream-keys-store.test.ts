// Verified keys survive a restart in a store, also while the upstream is down.

import { expect, test } from "vitest";
import type { Store } from "../src/store/store.ts";
import { eventually } from "./_command.ts";
import {
  backend,
  frontend,
  type IssuingUpstream,
  startIssuingUpstream,
  startWithUpstreamKeys,
} from "./_issuing-upstream.ts";
import { namesOf } from "./_proxy.ts";

const WEB = "web:development.a-secret-of-web";
const SERVER = "*:production.a-secret-of-a-server";
const DOCUMENT = "upstream-keys.json";

/** A store in memory, which outlives the proxies. */
class MemoryStore implements Store {
  readonly address = "memory:test";
  readonly documents = new Map<string, Uint8Array>();
  failure: Error | undefined;

  async read(key: string): Promise<Uint8Array | undefined> {
    if (this.failure) throw this.failure;
    return this.documents.get(key);
  }

  async write(key: string, content: Uint8Array): Promise<void> {
    if (this.failure) throw this.failure;
    this.documents.set(key, content);
  }

  async remove(key: string): Promise<void> {
    this.documents.delete(key);
  }

  async close(): Promise<void> {}
}

/** Starts a proxy, uses both tokens, and stops it: the store then contains them. */
async function storeTokens(store: Store): Promise<IssuingUpstream> {
  const upstream = await startIssuingUpstream({
    [WEB]: frontend("development", "web"),
    [SERVER]: backend("production", "*"),
  });
  const { statusOf, close } = await startWithUpstreamKeys({ upstream, store });
  expect(await statusOf(WEB)).toBe(200);
  expect(await statusOf(SERVER, "/api/client/features")).toBe(200);
  await close();
  return upstream;
}

const linesOf = ({
  lines,
}: {
  readonly lines: readonly { readonly parts: readonly unknown[] }[];
}) => lines.map(({ parts }) => parts.join());

test("after a restart with the upstream down, verified keys work as before, and no others", async () => {
  const store = new MemoryStore();
  const upstream = await storeTokens(store);
  await upstream.stop();
  const { get, statusOf } = await startWithUpstreamKeys({ upstream, store });
  expect(await namesOf(await get("/proxy", WEB))).toEqual(["development.web"]);
  expect(await statusOf(SERVER, "/api/client/features")).toBe(200);
  expect(await statusOf(SERVER, "/proxy")).toBe(401);
  expect(await statusOf("*:development.a-secret-of-web")).toBe(503);
});

test("the store contains no token", async () => {
  const store = new MemoryStore();
  await storeTokens(store);
  const text = Buffer.from(store.documents.get(DOCUMENT) ?? []).toString();
  expect(text).toContain("development");
  expect(text).not.toContain("secret");
});

test("a key that was revoked meanwhile is rejected soon, and stays so after the next restart", async () => {
  const store = new MemoryStore();
  const upstream = await storeTokens(store);
  upstream.issued.delete(WEB);
  const config = { upstreamKeys: { revalidationIntervalMs: 1 } };
  const second = await startWithUpstreamKeys({ upstream, store, config });
  await eventually(() => second.statusOf(WEB)).toBe(401);
  await second.close();
  await upstream.stop();
  const third = await startWithUpstreamKeys({ upstream, store });
  expect(await third.statusOf(WEB)).toBe(503);
  expect(await third.statusOf(SERVER, "/api/client/features")).toBe(200);
});

test("replicas that share a store keep the keys of each other", async () => {
  const store = new MemoryStore();
  const upstream = await startIssuingUpstream({
    [WEB]: frontend("development", "web"),
    [SERVER]: backend("production", "*"),
  });
  const [one, two] = [
    await startWithUpstreamKeys({ upstream, store }),
    await startWithUpstreamKeys({ upstream, store }),
  ];
  expect(await one.statusOf(WEB)).toBe(200);
  expect(await two.statusOf(SERVER, "/api/client/features")).toBe(200);
  await one.close();
  await two.close();
  await upstream.stop();
  const { statusOf } = await startWithUpstreamKeys({ upstream, store });
  expect(await statusOf(WEB)).toBe(200);
  expect(await statusOf(SERVER, "/api/client/features")).toBe(200);
});

test.each<[string, (document: Buffer) => Buffer]>([
  ["is cut off", (document) => document.subarray(0, -1)],
  ["is empty", () => Buffer.alloc(0)],
  ["is other JSON", () => Buffer.from("[null]")],
  ["was edited", (document) => Buffer.from(document.toString().replace('\\"web\\"', '\\"*\\"'))],
])("a document that %s is ignored, with one log line", async (_, damage) => {
  const store = new MemoryStore();
  const upstream = await storeTokens(store);
  await upstream.stop();
  const original = Buffer.from(store.documents.get(DOCUMENT) ?? []);
  store.documents.set(DOCUMENT, damage(original));
  expect(store.documents.get(DOCUMENT)).not.toEqual(original);
  const { statusOf, logger } = await startWithUpstreamKeys({ upstream, store });
  expect(await statusOf(WEB)).toBe(503);
  expect(linesOf(logger).filter((line) => line.includes("memory:test"))).toEqual([
    expect.stringMatching(/^The verified keys in memory:test are ignored: /),
  ]);
});

test("a document of a proxy with another upstream or other upstream tokens is ignored", async () => {
  const store = new MemoryStore();
  const upstream = await storeTokens(store);
  await upstream.stop();
  const config = { upstreamTokens: ["*:development.other", "*:production.upstream"] };
  const { statusOf, logger } = await startWithUpstreamKeys({ upstream, store, config });
  expect(await statusOf(WEB)).toBe(503);
  expect(linesOf(logger).join()).toContain("was written with another FLAGS_URL, FLAGS_API_TOKEN");
});

test("a store that fails changes nothing for clients", async () => {
  const store = new MemoryStore();
  store.failure = new Error("The disk is full");
  const upstream = await storeTokens(store);
  const { statusOf, logger, close } = await startWithUpstreamKeys({ upstream, store });
  expect(await statusOf(WEB)).toBe(200);
  await close();
  expect(linesOf(logger).join()).toContain("read from memory:test: The disk is full");
});
