import { once } from "node:events";
import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { expect, test, vi } from "vitest";
import { closedByServer, connectPeer, startServer } from "../../test/_server.ts";
import { ConnectionGuard } from "./connection-guard.ts";
import { type Closable, shutDown } from "./shut-down.ts";

const GET = "GET / HTTP/1.1\r\nHost: test\r\n\r\n";

const neverRespond = (): void => {};

function toClosable(server: Server): Closable {
  return {
    server,
    close: () => new Promise((resolve) => void server.close(() => resolve())),
  };
}

/** Starts a server whose connections are guarded, as those of the services are. */
function startGuarded(listener: RequestListener): Promise<Server> {
  const guard = new ConnectionGuard({ maxConnections: 10, logger: { warn: vi.fn() }, hint: "" });
  const handle = guard.limitRequests(listener, (_error, socket) => socket.destroy());
  return startServer(handle, { prepare: (server) => guard.protect(server) });
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
  const closed = shutDown(toClosable(server), { delayMs: 0, drainMs: 60_000 });
  response.end("complete");
  expect(await readChunk(socket)).toContain("complete");
  await closed;
});

test("shutDown() passes the delay on if other processes accept the connections", async () => {
  const delays: number[] = [];
  const close = async (delayMs: number): Promise<void> => void delays.push(delayMs);
  await shutDown({ server: undefined, close }, { delayMs: 7 });
  expect(delays).toEqual([7]);
});

test("shutDown() closes the connection of a request that never ends", async () => {
  const server = await startServer(neverRespond);
  const requested = once(server, "request");
  const socket = await sendRequest(server);
  const closed = closedByServer(socket);
  await requested;
  await shutDown(toClosable(server), { delayMs: 0, drainMs: 20 });
  await closed;
  expect(server.listening).toBe(false);
});

test("shutDown() still serves during the delay, on idle connections and on new ones, and closes each after its response", async () => {
  const server = await startGuarded((_request, response) => void response.end("complete"));
  const idle = await sendRequest(server);
  expect(await readChunk(idle)).toContain("Connection: keep-alive");
  const silent = await connectPeer(server);
  let isClosed = false;
  const closed = shutDown(toClosable(server), { delayMs: 500 }).then(() => (isClosed = true));
  for (const socket of [idle, await connectPeer(server)]) {
    const ended = closedByServer(socket);
    socket.write(GET);
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    expect(await readChunk(socket)).toContain("Connection: close");
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await ended;
  }
  expect(isClosed).toBe(false);
  await closedByServer(silent);
  await closed;
});

test("shutDown() also closes the connection of a request that is in progress when it begins", async () => {
  const server = await startGuarded(neverRespond);
  const requested = once(server, "request");
  const socket = await sendRequest(server);
  const [, response] = (await requested) as [IncomingMessage, ServerResponse];
  const closed = shutDown(toClosable(server), { delayMs: 100 });
  response.end("complete");
  expect(await readChunk(socket)).toContain("Connection: close");
  await closed;
});
