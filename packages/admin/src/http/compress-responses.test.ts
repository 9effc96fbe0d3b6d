import { brotliDecompressSync, gunzipSync } from "node:zlib";
import Fastify from "fastify";
import { expect, test } from "vitest";
import { compressResponses } from "./compress-responses.ts";

const LARGE = { text: "flag ".repeat(100_000) };

async function get(path: string, acceptEncoding?: string) {
  const app = Fastify();
  compressResponses(app);
  app.get("/large", (_request, reply) => reply.header("etag", '"tag"').send(LARGE));
  app.get("/small", () => ({ text: "flag" }));
  const headers = acceptEncoding === undefined ? {} : { "accept-encoding": acceptEncoding };
  return app.inject({ path, headers });
}

test.each([
  ["gzip", "gzip", gunzipSync],
  ["gzip, deflate, br", "br", brotliDecompressSync],
] as const)(
  "compressResponses() compresses for %j with %s",
  async (accepted, coding, decompress) => {
    const { headers, rawPayload } = await get("/large", accepted);
    expect(headers["content-encoding"]).toBe(coding);
    expect(headers.vary).toBe("accept-encoding");
    expect(headers.etag).toBe('W/"tag"');
    expect(Number(headers["content-length"])).toBe(rawPayload.length);
    expect(rawPayload.length).toBeLessThan(10_000);
    expect(JSON.parse(decompress(rawPayload).toString())).toEqual(LARGE);
  },
);

test.each([undefined, "", "identity", "deflate"])(
  "compressResponses() leaves a response as it is for %j",
  async (accepted) => {
    const response = await get("/large", accepted);
    expect(response.headers["content-encoding"]).toBeUndefined();
    expect(response.headers.vary).toBe("accept-encoding");
    expect(response.headers.etag).toBe('"tag"');
    expect(response.json()).toEqual(LARGE);
  },
);

test("compressResponses() leaves small responses as they are", async () => {
  const { headers, body } = await get("/small", "gzip");
  expect(headers["content-encoding"]).toBeUndefined();
  expect(headers.vary).toBeUndefined();
  expect(body).toBe('{"text":"flag"}');
});

test("compressResponses() sends large responses uncompressed while many others are being compressed", async () => {
  const responses = await Promise.all(Array.from({ length: 60 }, () => get("/large", "gzip")));
  const plain = responses.filter(({ headers }) => headers["content-encoding"] === undefined);
  expect(plain.length).toBeGreaterThan(0);
  expect(plain.length).toBeLessThan(responses.length);
  for (const { headers, body } of plain) {
    expect(headers.etag).toBe('"tag"');
    expect(body.length).toBeGreaterThan(500_000);
  }
});
