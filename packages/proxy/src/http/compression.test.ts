import { once } from "node:events";
import type { Transform } from "node:stream";
import { createGunzip, gzipSync } from "node:zlib";
import Fastify from "fastify";
import { limitBodyMemory } from "flags-server-kit/http";
import { expect, onTestFinished, test, vi } from "vitest";
import { registerCompression } from "./compression.ts";

test.each([
  ["shorter", 900_000],
  ["longer", 20_000_000],
])(
  "a compressed body %s than the size limit is rejected after a small part has been decompressed",
  async (_title, length) => {
    const app = Fastify({ bodyLimit: 1_000_000, forceCloseConnections: true });
    limitBodyMemory(app, { toError: () => new Error("Busy"), keyOf: () => "key" });
    await registerCompression(app);
    app.post("/", ({ body }) => ({ body }));
    const url = await app.listen({ host: "127.0.0.1", port: 0 });
    onTestFinished(() => app.close());
    const push = vi.spyOn(Object.getPrototypeOf(createGunzip()) as Transform, "push");
    onTestFinished(() => push.mockRestore());

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
