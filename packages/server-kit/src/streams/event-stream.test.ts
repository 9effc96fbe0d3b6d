import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { connectPeer, startServer } from "../http/_server.ts";
import { EventStream } from "./event-stream.ts";

test("EventStream sends events as browsers parse them, and the headers of the app", async () => {
  const server = await startServer((_request, response) => {
    const stream = new EventStream(response, { "x-app": "yes", "x-none": undefined });
    stream.retryAfter(1500.4);
    stream.keepAlive();
    stream.send({ name: "news", id: 'W/"1"', data: "{}" });
    stream.end();
  });
  const { port } = server.address() as AddressInfo;
  const response = await fetch(`http://127.0.0.1:${port}/`);
  expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
  expect(response.headers.get("x-app")).toBe("yes");
  expect(response.headers.has("x-none")).toBe(false);
  expect(await response.text()).toBe('retry: 1500\n\n:\n\nevent: news\nid: W/"1"\ndata: {}\n\n');
});

test("EventStream.blockedSince is set while a client reads too slowly", async () => {
  const server = await startServer(() => undefined);
  const requested = once(server, "request");
  const socket = await connectPeer(server);
  socket.write("GET / HTTP/1.1\r\nHost: here\r\n\r\n");
  socket.pause();
  const [, response] = (await requested) as [unknown, ServerResponse];
  const stream = new EventStream(response, {});
  expect(stream.blockedSince).toBeUndefined();

  const drained = new Promise<void>((resolve) => stream.onDrain(resolve));
  stream.write(`:${"x".repeat(32 * 1024 * 1024)}\n\n`);
  expect(stream.blockedSince).toBeTypeOf("number");
  socket.resume();
  await drained;
  expect(stream.blockedSince).toBeUndefined();
});
