import { once } from "node:events";
import { connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { errorOf, KEY, OTHER_KEY, startProxy, type TestProxy } from "./_proxy.ts";

/** Sends the start of a request with a long body, and waits until the proxy has received it. */
async function stall({ app, port }: TestProxy, path: string, key: string): Promise<void> {
  const socket = connect(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  const received = once(app.server, "request");
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${key}\r\n` +
      'Content-Type: application/json\r\nContent-Length: 1040000\r\n\r\n{"context":',
  );
  await received;
}

const LONG = { context: { userId: "1", note: "x".repeat(900_000) } };

test("stalled long bodies exhaust only the budget of their key", async () => {
  const proxy = await startProxy();
  for (let i = 0; i < 65; i++) {
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

test("long bodies without a key cannot exhaust the budget of clients with one", async () => {
  const proxy = await startProxy();
  for (let i = 0; i < 140; i++) {
    // oxlint-disable-next-line no-await-in-loop -- each must have been received
    await stall(proxy, "/unknown", "wrong");
  }
  expect((await proxy.post("/proxy", LONG)).status).toBe(200);
});

test("a long body after a stream on the same connection releases its budget when the connection closes", async () => {
  const { app, port, post } = await startProxy();
  const start = `POST /proxy/stream HTTP/1.1\r\nHost: x\r\nAuthorization: ${KEY}\r\n`;
  const stream = `${start}Accept: text/event-stream\r\nContent-Length: 14\r\n\r\n{"context":{}}`;
  for (let i = 0; i < 65; i++) {
    const socket = connect(port, "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    const opened = once(app.server, "request");
    socket.write(stream);
    // oxlint-disable-next-line no-await-in-loop -- each must have been received
    await opened;
    const received = once(app.server, "request");
    socket.write(`${start}Content-Length: 1040000\r\n\r\n{"context":`);
    // oxlint-disable-next-line no-await-in-loop -- each must have been received
    await received;
    socket.destroy();
  }
  await expect.poll(async () => (await post("/proxy", LONG)).status).toBe(200);
});
