import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { expect, test } from "vitest";
import { connectPeer, startServer } from "../../test/_server.ts";
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

async function openPaused(): Promise<{ readonly stream: EventStream; readonly socket: Socket }> {
  const server = await startServer(() => undefined);
  const requested = once(server, "request");
  const socket = await connectPeer(server);
  socket.write("GET / HTTP/1.1\r\nHost: here\r\n\r\n");
  socket.pause();
  const [, response] = (await requested) as [unknown, ServerResponse];
  return { stream: new EventStream(response, {}), socket };
}

test("EventStream.blockedSinceMs is set while a client reads too slowly", async () => {
  const { stream, socket } = await openPaused();
  expect(stream.blockedSinceMs).toBeUndefined();
  const drained = new Promise<void>((resolve) => stream.onDrain(resolve));
  stream.write(`:${"x".repeat(16 * 1024 * 1024)}\n\n`);
  expect(stream.blockedSinceMs).toBeTypeOf("number");
  socket.resume();
  await drained;
  expect(stream.blockedSinceMs).toBeUndefined();
});

test("EventStream.blockedSinceMs is the time of the last progress, and the client receives everything in order", async () => {
  const { stream, socket } = await openPaused();
  // Larger than what the sockets buffer, so that most of it waits for the client.
  const texts = ["a", "b"].map((letter) => `:${letter.repeat(8 * 1024 * 1024)}\n\n`);
  for (const text of texts) stream.write(text);
  const blockedSinceMs = stream.blockedSinceMs ?? Infinity;
  let received = "";
  socket.setEncoding("latin1").on("data", (chunk: string) => {
    received += chunk;
    if (stream.blockedSinceMs === blockedSinceMs) return;
    // The server has noticed progress, long before the client has read everything.
    expect(stream.blockedSinceMs).toBeGreaterThan(blockedSinceMs);
    socket.removeAllListeners("data").on("data", (more: string) => (received += more));
  });
  socket.resume();
  await new Promise<void>((resolve) => stream.onDrain(resolve));
  stream.end();
  await once(socket, "end");
  expect(withoutChunkSizes(received)).toBe(texts.join(""));
});

/** Returns the body of a chunked response. */
function withoutChunkSizes(response: string): string {
  const parts: string[] = [];
  let at = response.indexOf("\r\n\r\n") + 4;
  for (;;) {
    const end = response.indexOf("\r\n", at);
    const length = Number.parseInt(response.slice(at, end), 16);
    if (length === 0) return parts.join("");
    parts.push(response.slice(end + 2, end + 2 + length));
    at = end + 2 + length + 2;
  }
}
