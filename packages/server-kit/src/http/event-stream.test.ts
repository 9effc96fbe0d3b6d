import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { EventStream } from "./event-stream.ts";

async function listen(handle: (response: ServerResponse) => void): Promise<number> {
  const server = createServer((_request, response) => handle(response));
  server.listen(0, "127.0.0.1");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

test("EventStream writes messages as browsers read them, and keeps headers of the app", async () => {
  const port = await listen((response) => {
    const stream = new EventStream(response, { "x-app": "yes", "x-none": undefined });
    stream.retryAfter(1500.4);
    stream.keepAlive();
    stream.send({ name: "news", id: 'W/"1"', data: "{}" });
    stream.end();
  });
  const answer = await fetch(`http://127.0.0.1:${port}/`);
  expect(answer.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
  expect(answer.headers.get("x-app")).toBe("yes");
  expect(answer.headers.has("x-none")).toBe(false);
  expect(await answer.text()).toBe('retry: 1500\n\n:\n\nevent: news\nid: W/"1"\ndata: {}\n\n');
});

test("EventStream knows a reader that takes nothing, and that it does again", async () => {
  let open: (stream: EventStream) => void = () => undefined;
  const opened = new Promise<EventStream>((resolve) => {
    open = resolve;
  });
  const port = await listen((response) => open(new EventStream(response, {})));
  const socket = connect(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.write("GET / HTTP/1.1\r\nHost: here\r\n\r\n");
  socket.pause();
  const stream = await opened;
  expect(stream.blockedSince).toBeUndefined();

  const drained = new Promise<void>((resolve) => stream.onDrain(resolve));
  stream.write(`:${"x".repeat(32 * 1024 * 1024)}\n\n`);
  expect(stream.blockedSince).toBeTypeOf("number");
  socket.resume();
  await drained;
  expect(stream.blockedSince).toBeUndefined();
});
