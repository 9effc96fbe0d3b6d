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
])("CodingChoice.for(%j) is %s, also the second time", (accepted, coding) => {
  const choice = new CodingChoice();
  expect(choice.for(accepted)).toBe(coding);
  expect(choice.for(accepted)).toBe(coding);
});

test("CodingChoice caches the headers of other clients even if one client sends invented values", () => {
  const negotiateCoding = vi.fn<Negotiate>(negotiate);
  const choice = new CodingChoice(negotiateCoding);
  for (let index = 0; index < 1000; index++) choice.for(`x${index}`);
  negotiateCoding.mockClear();
  for (let i = 0; i < 10; i++) {
    expect(choice.for("br, gzip")).toBe("br");
    expect(choice.for("identity")).toBeUndefined();
  }
  expect(negotiateCoding).toHaveBeenCalledTimes(2);
});

test.each([
  ["small", 100],
  ["large", 100_000],
])("CodedBody.in() compresses a %s body once for each coding", async (_, count) => {
  const text = "flags ".repeat(count);
  const coded = new CodedBody(text);
  expect(coded.in("gzip")).toBe(coded.in("gzip"));
  expect(gunzipSync(await coded.in("gzip")).toString()).toBe(text);
  expect(brotliDecompressSync(await coded.in("br")).toString()).toBe(text);
});

test.each([
  ["gzip", 100],
  ["br", 100],
  ["gzip", 100_000],
  ["br", 100_000],
] as const)(
  "CodedBody.in(%j) keeps no more memory than the bytes of %d words",
  async (coding, count) => {
    const bytes = await new CodedBody("flags ".repeat(count)).in(coding);
    expect(bytes.buffer.byteLength).toBe(bytes.length);
  },
);

test("CodedBody.tryIn() compresses no more bodies while many large ones are waiting", async () => {
  const text = "flags ".repeat(100_000);
  const waiting: Promise<Buffer>[] = [];
  for (;;) {
    const coded = new CodedBody(text).tryIn("gzip");
    if (coded === undefined) break;
    waiting.push(Promise.resolve(coded));
    expect(waiting.length).toBeLessThan(100);
  }
  expect(waiting.length).toBeGreaterThan(20);
  expect(new CodedBody("small").tryIn("gzip")).toBeInstanceOf(Buffer);
  await Promise.all(waiting);
  expect(gunzipSync((await new CodedBody(text).tryIn("gzip")) ?? "").toString()).toBe(text);
});
