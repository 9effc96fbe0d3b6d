import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { type Closable, shutDown } from "./shut-down.ts";

async function serve(listener: Parameters<typeof createServer>[1]): Promise<Server> {
  const server = createServer(listener as never).listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

function toClosable(server: Server): Closable {
  return {
    server,
    close: () => new Promise((resolve) => void server.close(() => resolve())),
  };
}

function ask(server: Server): Socket {
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => {});
  socket.write("GET / HTTP/1.1\r\nHost: test\r\n\r\n");
  return socket;
}

test("shutDown() lets a request in flight finish, then hangs up", async () => {
  const server = await serve({} as never);
  const request = once(server, "request");
  const socket = ask(server);
  const [, response] = (await request) as [unknown, { end(text: string): void }];
  const closed = shutDown(toClosable(server), { farewellMs: 0, drainMs: 60_000 });
  response.end("answered");
  const [answer] = (await once(socket, "data")) as [Buffer];
  expect(answer.toString()).toContain("answered");
  await closed;
});

test("shutDown() closes at once what has no server of its own", async () => {
  let isClosed = false;
  await shutDown({ server: undefined, close: async () => void (isClosed = true) });
  expect(isClosed).toBe(true);
});

test("shutDown() cuts a request that never ends", async () => {
  const server = await serve({} as never);
  const request = once(server, "request");
  const hungUp = once(ask(server), "close");
  await request;
  await shutDown(toClosable(server), { farewellMs: 0, drainMs: 20 });
  await hungUp;
});

test("shutDown() answers a request that was on its way, and says that it is the last", async () => {
  const server = await serve((_request: unknown, response: ServerResponse) => {
    response.end("answered");
  });
  const socket = ask(server);
  await once(socket, "data");
  const farewell = once(server, "newListener");
  const closed = shutDown(toClosable(server), { farewellMs: 100 });
  await farewell;
  socket.write("GET / HTTP/1.1\r\nHost: test\r\n\r\n");
  const [answer] = (await once(socket, "data")) as [Buffer];
  expect(answer.toString().toLowerCase()).toContain("connection: close");
  await closed;
});
