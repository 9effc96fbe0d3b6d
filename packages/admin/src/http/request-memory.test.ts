import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { pipeline, type Readable } from "node:stream";
import { createGunzip, gzipSync } from "node:zlib";
import fc from "fast-check";
import Fastify, { type FastifyRequest } from "fastify";
import { expect, onTestFinished, test } from "vitest";
import { fuzzRuns } from "../../../../scripts/test-size.ts";
import { limitBodyMemory, releaseRequest, releaseRequests } from "./request-memory.ts";

const MAX_BYTES = 2_000_000;

class BusyError extends Error {
  readonly statusCode = 503;
}

/** Serves `POST /`; the header `key` names the key of a request. */
async function startServer() {
  const app = Fastify({ bodyLimit: 1_000_000, forceCloseConnections: true });
  limitBodyMemory(app, {
    toError: () => new BusyError("Busy"),
    keyOf: ({ headers }) => headers["key"]?.toString(),
    maxBytes: MAX_BYTES,
  });
  let close: (() => void) | undefined;
  const closed = new Promise<void>((resolve) => (close = resolve));
  app.addHook("onRequest", async ({ headers, raw: { socket } }) => {
    if (headers["wait-for-close"] === undefined) return;
    await new Promise((resolve) => socket.once("close", resolve));
    setImmediate(() => close?.());
  });
  app.post("/", (request) => ({ length: JSON.stringify(request.body).length }));
  let open: (() => void) | undefined;
  app.post("/open", async (request, reply) => {
    releaseRequest(request);
    open?.();
    return reply.hijack();
  });
  let finish: (() => void) | undefined;
  const finished = new Promise<void>((resolve) => (finish = resolve));
  app.post("/wait", async () => {
    open?.();
    await finished;
    return {};
  });
  await app.listen({ host: "127.0.0.1", port: 0 });
  onTestFinished(() => app.close());
  const { port } = app.server.address() as AddressInfo;
  const post = (body: string, key: string, path = "/"): Promise<Response> =>
    fetch(`http://127.0.0.1:${port}${path}`, {
      method: "POST",
      body,
      headers: { key, "content-type": "application/json" },
    });
  /** Sends a request whose body arrives only in part; resolves once the server has received that part. */
  const stall = async (headers: string, key: string, bytes = 1): Promise<Socket> => {
    const socket = connect(port, "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    const received = once(app.server, "request");
    const start = headers.includes("chunked") ? `${bytes.toString(16)}\r\n` : "";
    const request =
      `POST / HTTP/1.1\r\nHost: x\r\nkey: ${key}\r\nContent-Type: application/json\r\n` +
      `${headers}\r\n\r\n${start}${"x".repeat(bytes)}`;
    socket.write(request);
    const [{ socket: connection }] = (await received) as [IncomingMessage];
    await expect.poll(() => connection.bytesRead).toBe(request.length);
    return socket;
  };
  /** Sends a body of unknown length. */
  const postChunked = (body: string, key: string): Promise<Response> =>
    fetch(`http://127.0.0.1:${port}/`, {
      method: "POST",
      body: ReadableStream.from([Buffer.from(body)]),
      duplex: "half",
      headers: { key, "content-type": "application/json" },
    });
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { post, postChunked, stall, opened, closed, finish: () => finish?.() };
}

const LONG = JSON.stringify("x".repeat(500_000));
const SHORT = JSON.stringify("x".repeat(16_000));

test("arriving bodies share one budget, of which each key may use as much as remains free", async () => {
  const { post, stall } = await startServer();
  await stall("Content-Length: 900001", "a", 900_000);
  expect((await post(LONG, "a")).status).toBe(503);
  expect((await post(LONG, "b")).status).toBe(200);
  await stall("Content-Length: 550001", "b", 550_000);
  expect((await post(LONG, "b")).status).toBe(503);
  expect((await post(LONG, "c")).status).toBe(503);
});

test("several keys that each use their full share leave enough for another one", async () => {
  const { post, stall } = await startServer();
  for (const key of ["a", "b"]) {
    for (let count = 0; count < 10; count += 1) {
      // oxlint-disable-next-line no-await-in-loop -- sequential on purpose
      await stall("Content-Length: 200001", key, 200_000);
    }
  }
  expect((await post(JSON.stringify("x".repeat(200_000)), "c")).status).toBe(200);
});

test("short bodies are always read", async () => {
  const { post, postChunked, stall } = await startServer();
  await stall("Content-Length: 900001", "a", 900_000);
  await stall("Content-Length: 500001", "b", 500_000);
  await stall("Content-Length: 250001", "c", 250_000);
  expect((await post(LONG, "a")).status).toBe(503);
  expect((await post(SHORT, "a")).status).toBe(200);
  expect((await postChunked(SHORT, "a")).status).toBe(200);
});

test.each(["Transfer-Encoding: chunked", "Content-Length: 900001"])(
  "a body counts for what has arrived of it: %s",
  async (header) => {
    const { post, postChunked, stall } = await startServer();
    for (let count = 0; count < 20; count += 1) {
      // oxlint-disable-next-line no-await-in-loop -- sequential on purpose
      await stall(header, "a", 10_000);
    }
    expect((await post(LONG, "a")).status).toBe(200);
    expect((await postChunked(LONG, "a")).status).toBe(200);
    await stall(header, "a", 900_000);
    expect((await post(LONG, "a")).status).toBe(503);
    expect((await postChunked(LONG, "a")).status).toBe(503);
  },
);

test("a body is counted until the response", async () => {
  const { post, opened, finish } = await startServer();
  const waiting = post(JSON.stringify("x".repeat(900_000)), "a", "/wait");
  await opened;
  expect((await post(LONG, "a")).status).toBe(503);
  finish();
  expect((await waiting).status).toBe(200);
  expect((await post(LONG, "a")).status).toBe(200);
});

test("a body is no longer counted once its connection has closed or its response has become a stream", async () => {
  const { post, stall, opened } = await startServer();
  const socket = await stall("Content-Length: 900001", "a", 900_000);
  socket.destroy();
  await expect.poll(async () => (await post(LONG, "a")).status).toBe(200);
  expect((await post(LONG, "a")).status).toBe(200);
  void post(LONG, "a", "/open").catch(() => undefined);
  await opened;
  expect((await post(LONG, "a")).status).toBe(200);
});

test("a body is not counted if its connection closed while its key was checked", async () => {
  const { post, stall, closed } = await startServer();
  const socket = await stall("Wait-For-Close: yes\r\nContent-Length: 900001", "a");
  socket.destroy();
  await closed;
  expect((await post(LONG, "a")).status).toBe(200);
});

test.each(["", "Content-Encoding: gzip\r\n"])(
  "the body of a GET, which nothing reads, takes no memory while its response stays open: %j",
  async (header) => {
    const app = Fastify({ bodyLimit: 1_000_000, forceCloseConnections: true });
    limitBodyMemory(app, { toError: () => new BusyError("Busy"), keyOf: () => "key" });
    let payload: Readable | undefined;
    app.addHook("preParsing", (_request, _reply, stream, done) => {
      payload = stream;
      done(null, stream);
    });
    let raw: IncomingMessage | undefined;
    app.get("/", (request, reply) => {
      raw = request.raw;
      return reply.hijack();
    });
    await app.listen({ host: "127.0.0.1", port: 0 });
    onTestFinished(() => app.close());
    const socket = connect((app.server.address() as AddressInfo).port, "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    socket.write(
      `GET / HTTP/1.1\r\nHost: x\r\n${header}Content-Length: 900000\r\n\r\n${"x".repeat(900_000)}`,
    );
    await expect.poll(() => raw?.complete).toBe(true);
    expect(payload?.readableLength).toBe(0);
  },
);

test("a rejected body is not decompressed to its end", async () => {
  const app = Fastify({ bodyLimit: 1_000_000, forceCloseConnections: true });
  limitBodyMemory(app, { toError: () => new BusyError("Busy"), keyOf: () => "key" });
  const gunzip = createGunzip();
  const closed = new Promise((resolve) => gunzip.once("close", resolve));
  gunzip.on("error", () => undefined);
  let decompressedBytes = 0;
  gunzip.on("data", (chunk: Buffer) => (decompressedBytes += chunk.length));
  app.addHook("preParsing", (_request, _reply, payload, done) => {
    pipeline(payload, gunzip, () => undefined);
    done(null, gunzip);
  });
  app.post("/", ({ body }) => ({ body }));
  const url = await app.listen({ host: "127.0.0.1", port: 0 });
  onTestFinished(() => app.close());
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", "content-encoding": "gzip" },
    body: gzipSync(Buffer.alloc(200_000_000)),
  });
  expect(response.status).toBe(413);
  await closed;
  expect(decompressedBytes).toBeLessThan(20_000_000);
});

test("the chunks of a body take little memory, however short they are", async () => {
  const app = Fastify({ bodyLimit: 1_000_000, forceCloseConnections: true });
  limitBodyMemory(app, { toError: () => new BusyError("Busy"), keyOf: () => "key" });
  const lengths: number[] = [];
  app.addHook("preParsing", (_request, _reply, payload, done) => {
    payload.on("data", (chunk: Buffer) => lengths.push(chunk.length));
    done(null, payload);
  });
  app.post("/", ({ body }) => ({ length: (body as string).length }));
  await app.listen({ host: "127.0.0.1", port: 0 });
  onTestFinished(() => app.close());
  const { port } = app.server.address() as AddressInfo;
  const body = JSON.stringify("x".repeat(100_000));
  const socket = connect(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  const chunks = Array.from(body, (character) => `1\r\n${character}\r\n`).join("");
  socket.write(
    `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`,
  );
  const [response] = (await once(socket, "data")) as [Buffer];
  expect(response.toString()).toContain(`{"length":100000}`);
  expect(lengths.length).toBeLessThan(10);
});

test("a body arrives unchanged, whatever the sizes of its chunks", async () => {
  const app = Fastify({ bodyLimit: 1_000_000, forceCloseConnections: true });
  limitBodyMemory(app, { toError: () => new BusyError("Busy"), keyOf: () => "key" });
  app.post("/", ({ body }) => ({ body }));
  await app.listen({ host: "127.0.0.1", port: 0 });
  onTestFinished(() => app.close());
  const { port } = app.server.address() as AddressInfo;
  const near = (value: number) => fc.integer({ min: value - 2, max: value + 2 });
  const sizes = fc.array(fc.oneof(fc.integer({ min: 1, max: 40_000 }), near(8192), near(16_384)), {
    maxLength: 12,
  });
  await fc.assert(
    fc.asyncProperty(sizes, async (lengths) => {
      const total = lengths.reduce((sum, length) => sum + length, 2);
      const text = JSON.stringify(Array.from({ length: total }, (_, i) => i % 10).join(""));
      const ends = lengths.map((_, index) => lengths.slice(0, index + 1).reduce((a, b) => a + b));
      const parts = [0, ...ends].map((start, index) => text.slice(start, ends[index]));
      const response = await fetch(`http://127.0.0.1:${port}/`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: ReadableStream.from(parts.map((part) => Buffer.from(part))),
        duplex: "half",
      });
      expect(await response.json()).toEqual({ body: JSON.parse(text) as string });
    }),
    { numRuns: fuzzRuns(30, 200) },
  );
});

/** Serves an app whose requests stay available after their responses. */
async function startReleasingServer() {
  const app = Fastify({ forceCloseConnections: true });
  const requests: FastifyRequest[] = [];
  releaseRequests(app);
  app.addHook("onRequest", (request, _reply, done) => {
    requests.push(request);
    app.server.emit("test:arrived");
    done();
  });
  app.route({
    method: ["GET", "POST"],
    url: "/echo",
    handler: ({ query, body }) => ({ query, body }),
  });
  app.route({
    method: ["GET", "POST"],
    url: "/stream",
    handler: (request, reply) => {
      releaseRequest(request);
      reply.raw.end("open");
      return reply.hijack();
    },
  });
  const url = await app.listen({ host: "127.0.0.1", port: 0 });
  onTestFinished(() => app.close());
  return { app, url, requests };
}

const QUERY = "a=1&a=2&b=%20x&c";

test.each([
  ["GET", undefined],
  ["POST", { sent: true }],
])(
  "a handler of %s reads the query and the body, which are then released",
  async (method, body) => {
    const { url, requests } = await startReleasingServer();
    const response = await fetch(`${url}/echo?${QUERY}`, {
      method,
      ...(body !== undefined && {
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
    });
    expect(await response.json()).toEqual({ query: { a: ["1", "2"], b: " x", c: "" }, body });
    expect(requests).toMatchObject([{ query: {} }]);
    expect(requests[0]?.body).toBeUndefined();
    expect(Object.keys(requests[0]?.query as object)).toEqual([]);
  },
);

test.each(["/echo", "/none"])(
  "%s: the query takes no memory while the body arrives",
  async (path) => {
    const { app, requests } = await startReleasingServer();
    const socket = connect((app.server.address() as AddressInfo).port, "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    const arrived = once(app.server, "test:arrived");
    socket.write(`POST ${path}?${QUERY} HTTP/1.1\r\nHost: x\r\nContent-Length: 20\r\n\r\n{`);
    await arrived;
    expect(Object.keys(requests[0]?.query as object)).toEqual([]);
  },
);

test("only the path of a request whose response is a stream stays in memory", async () => {
  const { url, requests } = await startReleasingServer();
  expect(await (await fetch(`${url}/stream?${QUERY}`)).text()).toBe("open");
  const [request] = requests;
  expect(request?.raw).toMatchObject({ headers: {}, rawHeaders: [], url: "/stream" });
  expect(Object.keys(request?.query as object)).toEqual([]);
});

test("the trailers of a request whose response is a stream take no memory", async () => {
  const { app, requests } = await startReleasingServer();
  const socket = connect((app.server.address() as AddressInfo).port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.write(
    "POST /stream HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n" +
      "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nfirst: 1\r\nsecond: 2\r\n\r\n",
  );
  await once(socket, "data");
  const [request] = requests;
  expect(request?.raw.complete).toBe(true);
  await expect.poll(() => request?.raw.rawTrailers).toEqual([]);
  expect(Object.keys(request?.raw.trailers ?? {})).toEqual([]);
});
