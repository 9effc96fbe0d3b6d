import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { ResponseBody, toBinaryString, toEntityTag } from "./response-body.ts";

function bodyOf(text: string): ResponseBody {
  return new ResponseBody(toBinaryString(text), toEntityTag(text));
}

async function compress(body: ResponseBody, coding: "br" | "gzip"): Promise<Buffer> {
  const compressed = await body.compress(coding);
  if (compressed === undefined) throw new Error("Too many bodies are being compressed");
  return compressed;
}

/** Sends a body twice, after which it is a buffer. */
function send(body: ResponseBody): ResponseBody {
  body.bytesToSend();
  expect(body.bytesToSend()).toBeInstanceOf(Buffer);
  return body;
}

test.each(["flags", "größer 🚩", "x".repeat(200_000)])(
  "a body can be sent twice and compressed, in any order: %.20s",
  async (text) => {
    for (const body of [bodyOf(text), send(bodyOf(text))]) {
      const [gzip, brotli] = await Promise.all([compress(body, "gzip"), compress(body, "br")]);
      expect(gunzipSync(gzip).toString()).toBe(text);
      expect(brotliDecompressSync(brotli).toString()).toBe(text);
      expect(await body.compress("gzip")).toBe(gzip);
      expect(Buffer.from(body.bytesToSend() as string, "latin1").toString()).toBe(text);
      expect(body.toBuffer().toString()).toBe(text);
    }
  },
);

test("compressing a shorter body after a longer one results in the shorter one", async () => {
  const [long, short] = [bodyOf("long".repeat(1000)), bodyOf("short")];
  const compressed = [await compress(long, "gzip"), await compress(short, "gzip")];
  expect(compressed.map((bytes) => gunzipSync(bytes).toString())).toEqual([
    "long".repeat(1000),
    "short",
  ]);
});

test("equals() compares bytes, whether they are a string or a buffer", () => {
  for (const prepare of [(body: ResponseBody) => body, send]) {
    expect(bodyOf("größer").equals(prepare(bodyOf("größer")))).toBe(true);
    expect(prepare(bodyOf("größer")).equals(bodyOf("größer"))).toBe(true);
    expect(prepare(bodyOf("größer")).equals(bodyOf("kleiner"))).toBe(false);
  }
});
