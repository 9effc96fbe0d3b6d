import { gunzipSync } from "node:zlib";
import { compileSnapshot, parseDocument, type Snapshot } from "flags-engine";
import { expect, test } from "vitest";
import { type ResponseBody, toEntityTag } from "../response/flag-list-body.ts";
import { CachedResponse, ResponseCache } from "./response-cache.ts";

const compile = (): Snapshot =>
  compileSnapshot(parseDocument({ version: 2, features: [] }), { now: () => 0, random: () => 0 });

const snapshot = compile();

function bodyOf(text: string): ResponseBody {
  const bytes = Buffer.from(text);
  return {
    entityTag: toEntityTag(text),
    byteLength: bytes.length,
    toBinaryString: () => bytes.toString("latin1"),
    toBuffer: () => bytes,
  };
}

function offerOften(cache: ResponseCache, key: string, body: ResponseBody, times = 10): void {
  for (let i = 0; i < times; i++) cache.offer(snapshot, key, body);
}

test("get() returns the response to a frequent request, for its snapshot alone", () => {
  const cache = new ResponseCache();
  const body = bodyOf("a");
  expect(cache.offer(snapshot, "/proxy?userId=1", body)).toBe(body);
  expect(cache.get(snapshot, "/proxy?userId=1")).toBeUndefined();
  offerOften(cache, "/proxy?userId=1", body);
  expect(cache.get(snapshot, "/proxy?userId=1")?.toBuffer()).toEqual(Buffer.from("a"));
  expect(cache.get(compile(), "/proxy?userId=1")).toBeUndefined();
});

test("get() distinguishes requests whose hashes collide", () => {
  const cache = new ResponseCache();
  // Both have the 32-bit FNV-1a hash 0x733113fe.
  const [one, other] = ["/proxy?userId=19848x", "/proxy?userId=1162592x"] as const;
  offerOften(cache, one, bodyOf("one"));
  expect(cache.get(snapshot, other)).toBeUndefined();
  offerOften(cache, other, bodyOf("other"));
  expect(cache.get(snapshot, one)?.toBuffer().toString()).toBe("one");
  expect(cache.get(snapshot, other)?.toBuffer().toString()).toBe("other");
});

test("a full cache keeps frequent requests when many others come once or twice", () => {
  const cache = new ResponseCache(20_000);
  offerOften(cache, "hot", bodyOf("x".repeat(2000)), 100);
  for (let user = 0; user < 1000; user++) {
    offerOften(cache, `user-${user}`, bodyOf("y".repeat(2000)), 4);
    cache.get(snapshot, "hot");
  }
  expect(cache.get(snapshot, "hot")).toBeDefined();
});

test("a response larger than the cache is not cached", () => {
  const cache = new ResponseCache(1000);
  offerOften(cache, "a", bodyOf("x".repeat(1000)));
  expect(cache.get(snapshot, "a")).toBeUndefined();
});

test("CachedResponse compresses its body once", async () => {
  const cached = new CachedResponse(bodyOf("a body"));
  const compressed = await cached.compressed("gzip");
  expect(gunzipSync(compressed).toString()).toBe("a body");
  expect(await cached.compressed("gzip")).toBe(compressed);
});
