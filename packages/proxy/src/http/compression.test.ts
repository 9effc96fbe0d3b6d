import type { Readable } from "node:stream";
import { brotliCompressSync, constants } from "node:zlib";
import Fastify, { type preParsingHookHandler } from "fastify";
import { limitBodyMemory } from "flags-server-kit/http";
import { expect, onTestFinished, test } from "vitest";
import { registerCompression } from "./compression.ts";

test("a rejected body is not decompressed to its end, however few bytes it has", async () => {
  const app = Fastify({ bodyLimit: 1_000_000, forceCloseConnections: true });
  limitBodyMemory(app, { toError: () => new Error("Busy"), keyOf: () => "key" });
  await registerCompression(app);
  let decompressedBytes = 0;
  const closed = new Promise<void>((resolve) => {
    const count: preParsingHookHandler = (_request, _reply, payload, done) => {
      payload.on("data", (chunk: Buffer) => (decompressedBytes += chunk.length));
      (payload as Readable).once("close", resolve);
      done(null, payload);
    };
    app.addHook("onRoute", (route) => {
      route.preParsing = [route.preParsing ?? [], count].flat();
    });
  });
  app.post("/", ({ body }) => ({ body }));
  const url = await app.listen({ host: "127.0.0.1", port: 0 });
  onTestFinished(() => app.close());
  const params = { [constants.BROTLI_PARAM_QUALITY]: 5 };
  const body = brotliCompressSync(Buffer.alloc(200_000_000), { params });
  expect(body.length).toBeLessThan(16_000);
  const headers = { "content-type": "application/json", "content-encoding": "br" };
  const response = await fetch(url, { method: "POST", headers, body });
  expect(response.status).toBe(413);
  await closed;
  expect(decompressedBytes).toBeLessThan(20_000_000);
});
