import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { connect } from "node:net";
import type { Transform } from "node:stream";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { brotliCompressSync, createGunzip, deflateSync, gzipSync } from "node:zlib";
import { expect, onTestFinished, test, vi } from "vitest";
import { toHttpError } from "../core/http/errors.ts";
import { BodyReader } from "./read-body.ts";

/** Starts a server that responds with what it has read, or with an error. */
async function startEcho({ limitBytes = 1_000_000, staysOpen = false } = {}) {
  const reader = new BodyReader();
  const server = createServer((request, response) => {
    void (async () => {
      try {
        const text = await reader.read(request, response, { limitBytes, key: "key" });
        reader.release(request);
        if (staysOpen) response.write("open");
        else response.end(text);
      } catch (error) {
        const { statusCode, message } = toHttpError(error);
        response.writeHead(statusCode).end(message);
      }
    })();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const post = async (body: Buffer, coding: string) => {
    const response = await fetch(`http://127.0.0.1:${port}/`, {
      method: "POST",
      headers: { "content-encoding": coding },
      body: new Uint8Array(body),
    });
    return { response, status: response.status };
  };
  return { server, port, post };
}

const TEXT = Buffer.from('{"userId":"7"}');

test.each([
  ["shorter", 900_000],
  ["longer", 20_000_000],
])(
  "a compressed body %s than the size limit is rejected after a small part has been decompressed",
  async (_title, length) => {
    const { post } = await startEcho();
    const push = spyOnDecompressors();
    const body = gzipSync(JSON.stringify({ note: "x".repeat(length) }));
    expect((await post(body, "gzip")).status).toBe(413);
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
    const { post } = await startEcho({ staysOpen: true });
    const push = spyOnDecompressors();
    const { response } = await post(Buffer.concat([gzipSync(TEXT), rest]), "gzip");
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

test.each([
  ["gzip", gzipSync(TEXT)],
  ["GZIP", gzipSync(TEXT)],
  ["x-gzip", gzipSync(TEXT)],
  ["deflate", deflateSync(TEXT)],
  ["identity", TEXT],
])("read() reads a body with the Content-Encoding %j", async (coding, body) => {
  const { response } = await (await startEcho()).post(body, coding);
  expect(await response.text()).toBe(TEXT.toString());
});

test.each([
  ["br", brotliCompressSync(TEXT)],
  ["gzip, deflate", deflateSync(gzipSync(TEXT))],
  ["unknown", TEXT],
])("read() rejects the Content-Encoding %j with a 415", async (coding, body) => {
  const { response, status } = await (await startEcho()).post(body, coding);
  expect(status).toBe(415);
  expect(await response.text()).toContain("with gzip or deflate");
});

test.each([
  ["text that is not compressed", TEXT],
  ["a truncated body", gzipSync(TEXT).subarray(0, -9)],
  ["another coding", deflateSync(TEXT)],
])("read() rejects %s with a 400", async (_title, body) => {
  const { response, status } = await (await startEcho()).post(body, "gzip");
  expect(status).toBe(400);
  expect(await response.text()).toContain("cannot be decompressed");
});

test.each([1, 7, 20_000, 400_000])(
  "read() reads a body that arrives in parts of %d bytes",
  async (size) => {
    const text = "ø".repeat(Math.min(200_000, size * 50));
    const bytes = Buffer.from(text);
    const { port } = await startEcho();
    const socket = connect(port, "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    socket.write(
      `POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: ${bytes.length}\r\n\r\n`,
    );
    for (let start = 0; start < bytes.length; start += size) {
      socket.write(bytes.subarray(start, start + size));
    }
    let answer = "";
    for await (const chunk of socket.setEncoding("utf8")) answer += String(chunk);
    expect(answer.endsWith(text)).toBe(true);
  },
);

test("the chunks of a body take little memory", async () => {
  const { port } = await startEcho();
  const concat = vi.spyOn(Buffer, "concat");
  onTestFinished(() => concat.mockRestore());
  const socket = connect(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  const chunks = `40\r\n${"x".repeat(64)}\r\n`.repeat(1500);
  socket.write(
    `POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`,
  );
  let answer = "";
  for await (const chunk of socket.setEncoding("utf8")) answer += String(chunk);
  expect(answer.endsWith("x".repeat(64 * 1500))).toBe(true);
  const longest = concat.mock.calls.map(([parts]) => parts).filter(({ length }) => length > 1);
  expect(Math.max(...longest.map(({ length }) => length))).toBeLessThan(10);
});
