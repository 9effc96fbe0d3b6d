// Verified keys survive a restart in a store, even while the upstream is down.

import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { gunzipSync } from "node:zlib";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { StoreConfig } from "../src/store/store.ts";
import { eventually } from "./_command.ts";
import {
  backend,
  frontend,
  type IssuingUpstream,
  revalidateEvery,
  startIssuingUpstream,
  startWithUpstreamKeys,
} from "./_issuing-upstream.ts";
import { namesOf } from "./_proxy.ts";
import { loadStoreConfig } from "./_stores.ts";

const WEB = "web:development.a-secret-of-web";
const SERVER = "*:production.a-secret-of-a-server";

/** A directory for a store, and the setting for it. */
interface StoreDirectory {
  readonly path: string;
  readonly store: StoreConfig;
}

/** Creates a store in a directory, for the duration of a test. */
async function createStore(): Promise<StoreDirectory> {
  const path = await mkdtemp(join(tmpdir(), "flags-keys-"));
  onTestFinished(() => rm(path, { recursive: true }));
  return { path, store: await loadStoreConfig(`file:${path}`) };
}

/** Returns the path of the document with the keys. */
async function findDocument({ path }: StoreDirectory): Promise<string> {
  const names = await readdir(path, { recursive: true });
  const [name] = names.filter((each) => /\/keys(?:\W|$)/.test(each));
  if (name === undefined) throw new Error(`There is no document among ${names.join()}`);
  return join(path, name);
}

/** Starts a proxy, uses both tokens, and stops it: the store then contains them. */
async function storeTokens({ store }: Pick<StoreDirectory, "store">): Promise<IssuingUpstream> {
  const upstream = await startIssuingUpstream({
    [WEB]: frontend("development", "web"),
    [SERVER]: backend("production", "*"),
  });
  const { statusOf, close } = await startWithUpstreamKeys({ upstream, config: { store } });
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

test("after a restart while the upstream is down, verified keys work as before, and no others", async () => {
  const { store } = await createStore();
  const upstream = await storeTokens({ store });
  await upstream.stop();
  const { get, statusOf, metric } = await startWithUpstreamKeys({ upstream, config: { store } });
  expect(await namesOf(await get("/proxy", WEB))).toEqual(["development.web"]);
  expect(await metric('key_store_operations_total{operation="read",result="success"}')).toBe(1);
  expect(await statusOf(SERVER, "/api/client/features")).toBe(200);
  expect(await statusOf(SERVER, "/proxy")).toBe(401);
  expect(await statusOf("*:development.a-secret-of-web")).toBe(503);
});

test("the store contains no token", async () => {
  const directory = await createStore();
  await storeTokens(directory);
  const document = await readFile(await findDocument(directory), "latin1");
  const [format, header, mac] = document.split("\n", 3);
  const content = document.slice(`${format}\n${header}\n${mac}\n`.length);
  const text = gunzipSync(Buffer.from(content, "latin1")).toString();
  expect(JSON.parse(text)).toMatchObject([{ environment: "production" }, { projects: ["web"] }]);
  expect(text + header).not.toContain("secret");
});

test("a key that was revoked meanwhile is rejected soon, and stays so after the next restart", async () => {
  const { store } = await createStore();
  const upstream = await storeTokens({ store });
  upstream.issued.delete(WEB);
  const config = { store, ...revalidateEvery(100) };
  const second = await startWithUpstreamKeys({ upstream, config });
  await eventually(() => second.statusOf(WEB)).toBe(401);
  await second.close();
  await upstream.stop();
  const third = await startWithUpstreamKeys({ upstream, config: { store } });
  expect(await third.statusOf(WEB)).toBe(503);
  expect(await third.statusOf(SERVER, "/api/client/features")).toBe(200);
});

test("a key that one replica has found revoked is not stored again by another that has not used it", async () => {
  const { store } = await createStore();
  const upstream = await storeTokens({ store });
  const idle = await startWithUpstreamKeys({ upstream, config: { store } });
  // Reads the store.
  expect(await idle.statusOf(SERVER, "/api/client/features")).toBe(200);
  upstream.issued.delete(WEB);
  const config = { store, ...revalidateEvery(100) };
  const busy = await startWithUpstreamKeys({ upstream, config });
  await eventually(() => busy.statusOf(WEB)).toBe(401);
  await busy.close();

  const added = "web:development.another-secret-of-web";
  upstream.issued.set(added, frontend("development", "web"));
  expect(await idle.statusOf(added)).toBe(200);
  await idle.close();
  await upstream.stop();
  const next = await startWithUpstreamKeys({ upstream, config: { store } });
  expect(await next.statusOf(added)).toBe(200);
  expect(await next.statusOf(WEB)).toBe(503);
});

test("replicas that share a store keep the keys of each other", async () => {
  const { store } = await createStore();
  const upstream = await startIssuingUpstream({
    [WEB]: frontend("development", "web"),
    [SERVER]: backend("production", "*"),
  });
  const start = () => startWithUpstreamKeys({ upstream, config: { store } });
  const [one, two] = [await start(), await start()];
  expect(await one.statusOf(WEB)).toBe(200);
  expect(await two.statusOf(SERVER, "/api/client/features")).toBe(200);
  await one.close();
  await two.close();
  await upstream.stop();
  const { statusOf } = await start();
  expect(await statusOf(WEB)).toBe(200);
  expect(await statusOf(SERVER, "/api/client/features")).toBe(200);
});

test.each<[string, (document: Buffer) => Buffer]>([
  ["is cut off", (document) => document.subarray(0, -1)],
  ["is empty", () => Buffer.alloc(0)],
  ["was edited", (document) => Buffer.concat([document.subarray(0, -1), Buffer.from("x")])],
])("a document that %s is ignored, with one log line", async (_, damage) => {
  const directory = await createStore();
  const upstream = await storeTokens(directory);
  await upstream.stop();
  const path = await findDocument(directory);
  await writeFile(path, damage(await readFile(path)));
  const { store } = directory;
  const { statusOf, logger } = await startWithUpstreamKeys({ upstream, config: { store } });
  expect(await statusOf(WEB)).toBe(503);
  expect(linesOf(logger).filter((line) => line.includes("the store"))).toEqual([
    expect.stringMatching(/^Ignoring the verified keys in the store file:.*: the document v1\//),
  ]);
});

test("a document of a proxy with other upstream tokens is not used, even if it replaces the right one", async () => {
  const directory = await createStore();
  const upstream = await storeTokens(directory);
  const { store } = directory;
  const document = await readFile(await findDocument(directory));
  const config = { store, upstreamTokens: ["*:development.other", "*:production.upstream"] };
  await rm(await findDocument(directory));
  const writer = await startWithUpstreamKeys({ upstream, config });
  expect(await writer.statusOf(SERVER, "/api/client/features")).toBe(200);
  await writer.close();
  await writeFile(await findDocument(directory), document);
  await upstream.stop();
  const { statusOf, logger } = await startWithUpstreamKeys({ upstream, config });
  expect(await statusOf(WEB)).toBe(503);
  expect(linesOf(logger).join()).toContain("belongs to another upstream, token");
});

test("a store that fails does not affect clients", async () => {
  const { path } = await createStore();
  await writeFile(join(path, "file"), "");
  const store = await loadStoreConfig(`file:${join(path, "file", "store")}`);
  const upstream = await storeTokens({ store });
  const { statusOf, logger, close } = await startWithUpstreamKeys({ upstream, config: { store } });
  expect(await statusOf(WEB)).toBe(200);
  await close();
  expect(linesOf(logger).join()).toMatch(
    /(?:Reading verified keys from|Writing verified keys to) the store file:.* failed: /,
  );
});
