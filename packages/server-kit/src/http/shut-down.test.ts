import { once } from "node:events";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { expect, test } from "vitest";
import { closedByServer, connectPeer, startServer } from "./_server.ts";
import { type Closable, shutDown } from "./shut-down.ts";

const GET = "GET / HTTP/1.1\r\nHost: test\r\n\r\n";

const neverRespond = (): void => {};

function toClosable(server: Server): Closable {
  return {
    server,
    close: () => new Promise((resolve) => void server.close(() => resolve())),
  };
}

async function sendRequest(server: Server): Promise<Socket> {
  const socket = await connectPeer(server);
  socket.write(GET);
  return socket;
}

async function readChunk(socket: Socket): Promise<string> {
  const [chunk] = (await once(socket, "data")) as [Buffer];
  return chunk.toString();
}

test("shutDown() lets a request in progress finish before it closes the connection", async () => {
  const server = await startServer(neverRespond);
  const requested = once(server, "request");
  const socket = await sendRequest(server);
  const [, response] = (await requested) as [IncomingMessage, ServerResponse];
  const closed = shutDown(toClosable(server), { graceMs: 0, drainMs: 60_000 });
  response.end("complete");
  expect(await readChunk(socket)).toContain("complete");
  await closed;
});

test("shutDown() closes immediately if there is no server in this process", async () => {
  let isClosed = false;
  await shutDown({ server: undefined, close: async () => void (isClosed = true) });
  expect(isClosed).toBe(true);
});

test("shutDown() closes the connection of a request that never ends", async () => {
  const server = await startServer(neverRespond);
  const requested = once(server, "request");
  const socket = await sendRequest(server);
  const closed = closedByServer(socket);
  await requested;
  await shutDown(toClosable(server), { graceMs: 0, drainMs: 20 });
  await closed;
  expect(server.listening).toBe(false);
});

test("shutDown() responds to requests that are on their way with `Connection: close`", async () => {
  const server = await startServer((_request, response) => {
    response.end("complete");
  });
  const socket = await sendRequest(server);
  await readChunk(socket);
  const graceStarted = once(server, "newListener");
  const closed = shutDown(toClosable(server), { graceMs: 100 });
  await graceStarted;
  socket.write(GET);
  expect((await readChunk(socket)).toLowerCase()).toContain("connection: close");
  await closed;
});
