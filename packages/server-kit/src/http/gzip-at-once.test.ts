import { randomBytes } from "node:crypto";
import { gunzipSync } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { GzipAtOnce } from "./gzip-at-once.ts";

test("compress() makes of each body a stream of its own", () => {
  const gzip = new GzipAtOnce(2);
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.uint8Array()), (content) => {
      const body = typeof content === "string" ? content : Buffer.from(content);
      expect(gunzipSync(gzip.compress(body))).toEqual(Buffer.from(body as string));
    }),
  );
});

test("compress() takes what hardly shrinks, and is larger than all that zlib puts out at once", () => {
  const gzip = new GzipAtOnce(2);
  const body = randomBytes(300_000);
  expect(gunzipSync(gzip.compress(body)).equals(body)).toBe(true);
  expect(gunzipSync(gzip.compress("after it")).toString()).toBe("after it");
});

test("what compress() returned stays as it is when the next body comes", () => {
  const gzip = new GzipAtOnce(2);
  const first = gzip.compress("the first body");
  gzip.compress("another body");
  expect(gunzipSync(first).toString()).toBe("the first body");
});
