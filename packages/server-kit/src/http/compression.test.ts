import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { chooseCoding, CodedBody } from "./compression.ts";

test.each([
  ["gzip, deflate, br", "br"],
  ["gzip", "gzip"],
  ["GZIP", "gzip"],
  ["x-gzip", "gzip"],
  ["*", "gzip"],
  ["br;q=0.1, gzip;q=0.9", "gzip"],
  ["deflate", undefined],
  ["identity", undefined],
  ["", undefined],
])("chooseCoding(%j) is %s", (accepted, coding) => {
  expect(chooseCoding({ "accept-encoding": accepted })).toBe(coding);
});

test("chooseCoding() chooses none for a request with `X-No-Compression`", () => {
  const headers = { "accept-encoding": "gzip", "x-no-compression": "1" };
  expect(chooseCoding(headers)).toBeUndefined();
});

test.each([
  ["small", 100],
  ["large", 100_000],
])("CodedBody.compress() compresses a %s body once for each coding", async (_, count) => {
  const text = "flags ".repeat(count);
  const coded = new CodedBody(text);
  expect(coded.compress("gzip")).toBe(coded.compress("gzip"));
  expect(gunzipSync(await coded.compress("gzip")).toString()).toBe(text);
  expect(brotliDecompressSync(await coded.compress("br")).toString()).toBe(text);
});

test.each([
  ["gzip", 100],
  ["br", 100],
  ["gzip", 100_000],
  ["br", 100_000],
] as const)(
  "CodedBody.compress(%j) keeps no more memory than the bytes of %d words",
  async (coding, count) => {
    const bytes = await new CodedBody("flags ".repeat(count)).compress(coding);
    expect(bytes.buffer.byteLength).toBe(bytes.length);
  },
);

test("CodedBody.tryCompress() compresses no more bodies while many large ones are waiting", async () => {
  const text = "flags ".repeat(100_000);
  const waiting: Promise<Buffer>[] = [];
  for (;;) {
    const coded = new CodedBody(text).tryCompress("gzip");
    if (coded === undefined) break;
    waiting.push(Promise.resolve(coded));
    expect(waiting.length).toBeLessThan(100);
  }
  expect(waiting.length).toBeGreaterThan(20);
  expect(new CodedBody("small").tryCompress("gzip")).toBeInstanceOf(Buffer);
  await Promise.all(waiting);
  expect(gunzipSync((await new CodedBody(text).tryCompress("gzip")) ?? "").toString()).toBe(text);
});
