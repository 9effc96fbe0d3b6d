import { EventEmitter, once } from "node:events";
import { createServer, type ServerOptions } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test, vi } from "vitest";
import { closedByServer, connectPeer, countConnections, startServer } from "../../test/_server.ts";
import { createClientErrorHandler } from "./client-errors.ts";

async function responseTo(request: string): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  server.on("clientError", createClientErrorHandler({ toBody: (failure) => ({ failure }) }));
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.write(request);
  return text(socket);
}

test.each([
  ["nonsense\r\n\r\n", 400, "not valid HTTP"],
  [
    `GET / HTTP/1.1\r\nHost: a\r\nX: ${"x".repeat(70_000)}`,
    431,
    "too large: send fewer or shorter headers",
  ],
])("createClientErrorHandler() responds with the given body (case %#)", async (...row) => {
  const [request, statusCode, words] = row;
  const response = await responseTo(request);
  const [head = "", body = ""] = response.split("\r\n\r\n");
  expect(head).toContain(`HTTP/1.1 ${statusCode} `);
  expect(head).toContain(`Content-Length: ${Buffer.byteLength(body)}`);
  expect(JSON.parse(body)).toEqual({
    failure: { statusCode, message: expect.stringContaining(words) as string },
  });
});

const TIMEOUTS: ServerOptions = {
  headersTimeout: 50,
  requestTimeout: 50,
  connectionsCheckingInterval: 10,
};

const BODY_HEAD = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n";

test.each([
  ["invalid HTTP", "nonsense\r\n\r\n"],
  ["headers that never end", "GET / HTTP/1.1\r\nX-A: "],
  ["a body that never ends", BODY_HEAD + "x".repeat(90_000)],
])(
  "createClientErrorHandler() closes the connection after %s, even if the peer does not",
  async (_, bytes) => {
    const sockets = new Set<Socket>();
    const server = await startServer((request) => void request.resume(), TIMEOUTS);
    server.on("clientError", createClientErrorHandler({ toBody: () => ({}) }));
    server.on("clientError", (_error, socket: Socket) => sockets.add(socket));
    const silent = await connectPeer(server);
    const dribbling = await connectPeer(server);
    const halfClosed = await connectPeer(server);
    for (const peer of [silent, dribbling, halfClosed]) peer.write(bytes);
    const dribble = setInterval(() => dribbling.write("x"), 20);
    onTestFinished(() => clearInterval(dribble));
    halfClosed.end();
    await expect.poll(() => sockets.size).toBe(3);
    await expect.poll(() => countConnections(server)).toBe(0);
  },
);

test("createClientErrorHandler() destroys a request whose body did not arrive", async () => {
  const requests = new EventEmitter();
  const listener = createClientErrorHandler({ toBody: () => ({}) });
  const server = await startServer((request) => {
    request.resume().on("error", (error) => requests.emit("failed", error));
  }, TIMEOUTS);
  server.on("clientError", listener);
  const failed = once(requests, "failed");
  const peer = await connectPeer(server);
  peer.write(BODY_HEAD);
  expect(await failed).toMatchObject([{ code: "ECONNRESET" }]);
});

test("createClientErrorHandler() sends no error after the start of a response", async () => {
  const server = await startServer((_request, response) => {
    response.write("begin");
  }, TIMEOUTS);
  const toBody = vi.fn(() => ({}));
  server.on("clientError", createClientErrorHandler({ toBody, isResponding: () => true }));
  const peer = await connectPeer(server);
  peer.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  const [received] = (await once(peer, "data")) as [Buffer];
  expect(received.toString()).toContain("begin");
  peer.write("nonsense\r\n\r\n");
  await closedByServer(peer);
  expect(toBody).not.toHaveBeenCalled();
});
