import { once } from "node:events";
import type { Transform } from "node:stream";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { brotliCompressSync, createGunzip, deflateSync, gzipSync } from "node:zlib";
import Fastify from "fastify";
import { limitBodyMemory, releaseRequest } from "flags-server-kit/http";
import { expect, onTestFinished, test, vi } from "vitest";
import { toHttpError } from "../errors.ts";
import { decompressRequests, isCompressed } from "./decompress-requests.ts";

test.each([
  ["shorter", 900_000],
  ["longer", 20_000_000],
])(
  "a compressed body %s than the size limit is rejected after a small part has been decompressed",
  async (_title, length) => {
    const app = Fastify({ bodyLimit: 1_000_000, forceCloseConnections: true });
    limitBodyMemory(app, { toError: () => new Error("Busy"), keyOf: () => "key" });
    decompressRequests(app);
    app.post("/", ({ body }) => ({ body }));
    const url = await app.listen({ host: "127.0.0.1", port: 0 });
    onTestFinished(() => app.close());
    const push = spyOnDecompressors();

    const body = gzipSync(JSON.stringify({ note: "x".repeat(length) }));
    const headers = { "content-type": "application/json", "content-encoding": "gzip" };
    const response = await fetch(url, { method: "POST", headers, body: new Uint8Array(body) });
    expect(response.status).toBe(413);
    const decompressor = push.mock.contexts[0] as Transform;
    if (!decompressor.closed) await once(decompressor, "close");
    let decompressedBytes = 0;
    for (const [chunk] of push.mock.calls)
      decompressedBytes += (chunk as Buffer | null)?.length ?? 0;
    expect(decompressedBytes).toBeGreaterThan(0);
    expect(decompressedBytes).toBeLessThan(17_000 + 20 * body.length + 64 * 1024);
  },
);

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** Observes what decompressors put out. */
function spyOnDecompressors() {
  const push = vi.spyOn(Object.getPrototypeOf(createGunzip()) as Transform, "push");
  onTestFinished(() => push.mockRestore());
  return push;
}

test.each([
  ["nothing follows its body", Buffer.alloc(0)],
  ["something follows its body", Buffer.alloc(3)],
])(
  "the decompressor of a request whose response is a stream takes no memory: %s",
  async (_title, rest) => {
    const app = Fastify({ forceCloseConnections: true });
    const toError = () => new Error("Busy");
    limitBodyMemory(app, { toError, keyOf: () => "key", isDecompressed: isCompressed });
    decompressRequests(app);
    // With such a hook, the framework retains the request until the response is closed.
    app.addHook("onResponse", (_request, _reply, done) => done());
    app.post("/", (request, reply) => {
      releaseRequest(request);
      reply.raw.write("open");
      return reply.hijack();
    });
    const url = await app.listen({ host: "127.0.0.1", port: 0 });
    onTestFinished(() => app.close());
    const push = spyOnDecompressors();

    const body = Buffer.concat([gzipSync(TEXT), rest]);
    const headers = { "content-type": "application/json", "content-encoding": "gzip" };
    const response = await fetch(url, { method: "POST", headers, body });
    expect(response.status).toBe(200);
    const decompressors = push.mock.contexts.map((context) => new WeakRef(context as Transform));
    push.mockRestore();
    push.mockClear();
    expect(decompressors).not.toEqual([]);
    const countRetained = (): number => {
      collectGarbage();
      return decompressors.filter((reference) => reference.deref() !== undefined).length;
    };
    await expect.poll(() => countRetained()).toBe(0);
    await response.body?.cancel();
  },
);

test.each(["gzip", "br"])(
  "the body of a GET is ignored, whatever its Content-Encoding: %s",
  async (coding) => {
    const app = Fastify();
    const push = spyOnDecompressors();
    limitBodyMemory(app, { toError: () => new Error("Busy"), keyOf: () => "key" });
    decompressRequests(app);
    app.get("/", () => ({}));
    const headers = { "content-encoding": coding };
    const response = await app.inject({ method: "GET", path: "/", headers, body: TEXT });
    expect(response.statusCode).toBe(200);
    expect(push).not.toHaveBeenCalled();
  },
);

async function post(body: Buffer, coding: string) {
  const app = Fastify({ bodyLimit: 1_000_000 });
  app.setErrorHandler((thrown, _request, reply) => {
    const error = toHttpError(thrown);
    return reply.code(error.statusCode).send(error.toBody());
  });
  decompressRequests(app);
  app.post("/", ({ body: parsed }) => ({ parsed }));
  const headers = { "content-type": "application/json", "content-encoding": coding };
  const response = await app.inject({ method: "POST", path: "/", headers, body });
  return { status: response.statusCode, body: response.json<unknown>() };
}

const TEXT = Buffer.from('{"userId":"7"}');

test.each([
  ["gzip", gzipSync(TEXT)],
  ["GZIP", gzipSync(TEXT)],
  ["x-gzip", gzipSync(TEXT)],
  ["deflate", deflateSync(TEXT)],
  ["identity", TEXT],
])("decompressRequests() reads a body with the Content-Encoding %j", async (coding, body) => {
  expect(await post(body, coding)).toEqual({ status: 200, body: { parsed: { userId: "7" } } });
});

test.each([
  ["br", brotliCompressSync(TEXT)],
  ["gzip, deflate", deflateSync(gzipSync(TEXT))],
  ["unknown", TEXT],
])("decompressRequests() rejects the Content-Encoding %j with a 415", async (coding, body) => {
  const { status, body: error } = await post(body, coding);
  expect(status).toBe(415);
  expect(error).toMatchObject({ error: expect.stringContaining("with gzip or deflate") });
});

test.each([
  ["text that is not compressed", TEXT],
  ["a truncated body", gzipSync(TEXT).subarray(0, -9)],
  ["another coding", deflateSync(TEXT)],
])("decompressRequests() rejects %s with a 400", async (_title, body) => {
  const { status, body: error } = await post(body, "gzip");
  expect(status).toBe(400);
  expect(error).toMatchObject({ error: expect.stringContaining("cannot be decompressed") });
});
