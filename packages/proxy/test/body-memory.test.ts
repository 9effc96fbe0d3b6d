import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { connect } from "node:net";
import { gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { errorOf, KEY, OTHER_KEY, startProxy, type TestProxy } from "./_proxy.ts";

/** Sends the start of a request, and waits until the proxy has received it. */
async function stall(
  { server, port }: TestProxy,
  path: string,
  key: string,
  rest = LONG_START,
): Promise<void> {
  const socket = connect(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  const received = once(server, "request");
  const start =
    `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${key}\r\n` +
    `Content-Type: application/json\r\n${rest}`;
  socket.write(start, "latin1");
  const [{ socket: connection }] = (await received) as [IncomingMessage];
  await expect.poll(() => connection.bytesRead, { interval: 1 }).toBe(start.length);
}

const LONG_START = `Content-Length: 1040001\r\n\r\n${" ".repeat(1_040_000)}`;

const LONG = { context: { userId: "1", note: "x".repeat(900_000) } };

test.each([
  ["/proxy", "413"],
  ["/unknown", "404"],
])("a body of many short chunks is not read to its end: %s", async (path, status) => {
  const { port, server } = await startProxy();
  const received = once(server, "request");
  const socket = connect(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => {});
  const text = `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${KEY}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
  const chunks = "1\r\n \r\n".repeat(500);
  const send = (): void => {
    if (!socket.destroyed) socket.write(chunks, "latin1", () => setImmediate(send));
  };
  socket.write(text);
  send();
  const [{ socket: connection }] = (await received) as [IncomingMessage];
  const [response] = (await once(socket, "data")) as [Buffer];
  expect(response.toString()).toMatch(
    new RegExp(`^HTTP/1\\.1 ${status} .*connection: close`, "is"),
  );
  if (!connection.closed) await once(connection, "close");
  expect(connection.bytesRead).toBeLessThan(300_000);
});

test("stalled long bodies exhaust only the budget of their key", async () => {
  const proxy = await startProxy();
  for (let i = 0; i < 66; i++) {
    // oxlint-disable-next-line no-await-in-loop -- each must have been received
    await stall(proxy, i % 2 === 0 ? "/proxy" : "/api/frontend", KEY);
  }
  const refused = await proxy.post("/proxy", LONG);
  expect(refused.status).toBe(503);
  expect(refused.headers.get("retry-after")).toBe("1");
  expect((await errorOf(refused)).error).toContain("Too many long request bodies");
  expect((await proxy.post("/proxy", { context: {} })).status).toBe(200);
  expect((await proxy.post("/proxy", LONG, { authorization: OTHER_KEY })).status).toBe(200);
});

test.each([
  "Transfer-Encoding: chunked",
  "Content-Length: 1040000",
  "Content-Length: 1040000\r\nContent-Encoding: gzip",
])("requests whose bodies do not arrive do not block others with their key: %s", async (header) => {
  const proxy = await startProxy();
  for (let i = 0; i < 66; i++) {
    // oxlint-disable-next-line no-await-in-loop -- each must have been received
    await stall(proxy, "/proxy/client/metrics", KEY, `${header}\r\n\r\n`);
  }
  const headers = { authorization: KEY, "content-type": "application/json" };
  const send = async (init: RequestInit) => {
    const all = { ...headers, ...(init.headers as Record<string, string> | undefined) };
    return (await proxy.request("/proxy", { method: "POST", ...init, headers: all })).status;
  };
  const compressed = gzipSync(JSON.stringify({ context: { userId: "1" } }));
  expect(await send({ body: compressed, headers: { "content-encoding": "gzip" } })).toBe(200);
  expect(await send({ body: JSON.stringify(LONG) })).toBe(200);
  const chunks = ReadableStream.from([Buffer.from(JSON.stringify(LONG))]);
  expect(await send({ body: chunks, duplex: "half" })).toBe(200);
});

test("compressed bodies count for what they become when they are decompressed", async () => {
  const proxy = await startProxy();
  const incompressible = Buffer.from(Array.from({ length: 17_000 }, () => Math.random() * 256));
  const body = gzipSync(Buffer.concat([incompressible, Buffer.alloc(300_000), incompressible]));
  const start =
    `Content-Encoding: gzip\r\nContent-Length: ${body.length}\r\n\r\n` +
    body.subarray(0, 18_000).toString("latin1");
  for (let i = 0; i < 66 * 3; i++) {
    // oxlint-disable-next-line no-await-in-loop -- each must have been received
    await stall(proxy, "/proxy", KEY, start);
  }
  await expect.poll(async () => (await proxy.post("/proxy", LONG)).status).toBe(503);
});

test("long bodies without a key cannot exhaust the budget of clients with one", async () => {
  const proxy = await startProxy();
  for (let i = 0; i < 140; i++) {
    // oxlint-disable-next-line no-await-in-loop -- each must have been received
    await stall(proxy, "/unknown", "wrong");
  }
  expect((await proxy.post("/proxy", LONG)).status).toBe(200);
});

test("a long body after a stream on the same connection releases its budget when the connection closes", async () => {
  const { server, port, post } = await startProxy();
  const start = `POST /proxy/stream HTTP/1.1\r\nHost: x\r\nAuthorization: ${KEY}\r\n`;
  const stream = `${start}Accept: text/event-stream\r\nContent-Length: 14\r\n\r\n{"context":{}}`;
  for (let i = 0; i < 65; i++) {
    const socket = connect(port, "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    const opened = once(server, "request");
    socket.write(stream);
    // oxlint-disable-next-line no-await-in-loop -- each must have been received
    await opened;
    const received = once(server, "request");
    socket.write(`${start}${LONG_START}`);
    // oxlint-disable-next-line no-await-in-loop -- each must have been received
    await received;
    socket.destroy();
  }
  await expect.poll(async () => (await post("/proxy", LONG)).status).toBe(200);
});
