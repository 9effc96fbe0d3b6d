import { brotliDecompressSync, gunzipSync } from "node:zlib";
import negotiate from "@fastify/accept-negotiator";
import { expect, test, vi } from "vitest";
import { CodedBody, CodingChoice, type Negotiate } from "./compression.ts";

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
])("CodingChoice.choose(%j) is %s, also the second time", (accepted, coding) => {
  const choice = new CodingChoice();
  expect(choice.choose({ "accept-encoding": accepted })).toBe(coding);
  expect(choice.choose({ "accept-encoding": accepted })).toBe(coding);
});

test("CodingChoice.choose() chooses none for a request with `X-No-Compression`", () => {
  const headers = { "accept-encoding": "gzip", "x-no-compression": "1" };
  expect(new CodingChoice().choose(headers)).toBeUndefined();
});

test("CodingChoice caches the headers of other clients even if one client sends invented values", () => {
  const negotiateCoding = vi.fn<Negotiate>(negotiate);
  const choice = new CodingChoice(negotiateCoding);
  for (let index = 0; index < 1000; index++) {
    choice.choose({ "accept-encoding": `x${index}` });
  }
  negotiateCoding.mockClear();
  for (let i = 0; i < 10; i++) {
    expect(choice.choose({ "accept-encoding": "br, gzip" })).toBe("br");
    expect(choice.choose({ "accept-encoding": "identity" })).toBeUndefined();
  }
  expect(negotiateCoding).toHaveBeenCalledTimes(2);
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
