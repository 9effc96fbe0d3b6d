import { on, once } from "node:events";
import type { RequestListener, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { text } from "node:stream/consumers";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, onTestFinished, test, vi } from "vitest";
import { createGuardedServer } from "./guarded-server.ts";
import { closedByServer, connectPeer, countConnections, startServer } from "../../test/_server.ts";
import { createClientErrorHandler } from "./client-errors.ts";
import { ConnectionGuard, type ConnectionGuardOptions } from "./connection-guard.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

const GET = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

const respond: RequestListener = (_request, response) => {
  response.end("complete");
};

async function startGuarded(
  options: Partial<ConnectionGuardOptions>,
  listener: RequestListener = respond,
) {
  const warn = vi.fn();
  const guard = new ConnectionGuard({
    maxConnections: 1000,
    logger: { warn },
    hint: "raise it",
    ...options,
    times: { checkIntervalMs: 10, ...options.times },
  });
  const server = await startServer(
    guard.limitRequests(listener, (_error, socket) => socket.destroy()),
    {
      prepare: (created) => guard.protect(created),
    },
  );
  return { server, guard, warn };
}

/** Starts a server that also responds to invalid requests, as the services do. */
async function startComplete(handle: RequestListener): Promise<Server> {
  const guard = new ConnectionGuard({ maxConnections: 10, logger: { warn: vi.fn() }, hint: "" });
  const server = createGuardedServer(guard, handle).listen(0, "127.0.0.1");
  const isResponding = (socket: Socket): boolean => guard.isResponding(socket);
  const toBody = ({ message }: { readonly message: string }): string => message;
  server.on("clientError", createClientErrorHandler({ toBody, isResponding }));
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return server;
}

async function requestOn(peer: Socket): Promise<string> {
  peer.write(GET);
  const [received] = (await once(peer, "data")) as [Buffer];
  return received.toString();
}

/** Resolves to the response on a new connection, or to an empty string if the server closes it. */
async function tryRequest(server: Server): Promise<string> {
  const peer = await connectPeer(server);
  const closed = closedByServer(peer).then(() => "");
  return Promise.race([requestOn(peer).catch(() => ""), closed]);
}

/** Waits until the server has closed all but the given number of connections. */
async function untilOpen(server: Server, count: number): Promise<void> {
  await expect.poll(() => countConnections(server)).toBe(count);
}

test("at the limit, new connections are closed immediately and open ones keep working", async () => {
  const times = { minIdleMs: 60_000 };
  const { server, guard, warn } = await startGuarded({ maxConnections: 2, times });
  const peers = [await connectPeer(server), await connectPeer(server)];
  await expect.poll(() => guard.size).toBe(2);
  for (let attempt = 0; attempt < 5; attempt += 1) {
    // oxlint-disable-next-line no-await-in-loop -- sequential on purpose
    await closedByServer(await connectPeer(server));
  }
  for (const peer of peers) {
    // oxlint-disable-next-line no-await-in-loop -- sequential on purpose
    expect(await requestOn(peer)).toContain("complete");
  }
  expect(guard.closed).toEqual({ limit: 5, idle: 0, slow_reader: 0, pipelining: 0 });
  expect(warn.mock.calls).toEqual([
    [expect.stringMatching(/^The limit of 2 connections is reached.* raise it$/)],
  ]);
});

test("when a connection is closed, another one can be opened", async () => {
  const times = { minIdleMs: 60_000 };
  const { server, guard } = await startGuarded({ maxConnections: 1, times });
  const first = await connectPeer(server);
  await expect.poll(() => guard.size).toBe(1);
  first.destroy();
  await expect.poll(() => guard.size).toBe(0);
  expect(await requestOn(await connectPeer(server))).toContain("complete");
});

test("the memory of closed connections is released", async () => {
  const { server, guard } = await startGuarded({});
  const sockets: WeakRef<Socket>[] = [];
  server.on("connection", (socket: Socket) => sockets.push(new WeakRef(socket)));
  const open = async (): Promise<void> => void (await connectPeer(server)).destroy();
  for (let round = 0; round < 10; round += 1) {
    // oxlint-disable-next-line no-await-in-loop -- sequential on purpose
    await Promise.all(Array.from({ length: 20 }, open));
  }
  await expect.poll(() => [sockets.length, guard.size]).toEqual([200, 0]);
  const countRetained = (): number => {
    collectGarbage();
    return sockets.filter((socket) => socket.deref() !== undefined).length;
  };
  await expect.poll(() => countRetained()).toBeLessThan(20);
});

test("at the limit, idle connections are closed to accept new ones, busy ones are not", async () => {
  const times = { minIdleMs: 0 };
  let count = 0;
  const listener: RequestListener = (_request, response) => {
    count += 1;
    if (count === 1) response.write("never complete");
    else response.end("complete");
  };
  const { server, guard } = await startGuarded({ maxConnections: 3, times }, listener);
  const busy = await connectPeer(server);
  expect(await requestOn(busy)).toContain("never complete");
  const idle = await connectPeer(server);
  expect(await requestOn(idle)).toContain("complete");
  const incomplete = await connectPeer(server);
  incomplete.write("GET / HT");
  await expect.poll(() => guard.size).toBe(3);

  const closed = Promise.all([closedByServer(idle), closedByServer(incomplete)]);
  // A connection counts as idle after the next check.
  while (guard.closed.idle < 5) {
    // oxlint-disable-next-line no-await-in-loop -- sequential on purpose
    expect(await tryRequest(server)).toMatch(/complete|^$/);
  }
  await closed;
  expect(guard.size).toBe(3);
  expect(busy.readableEnded).toBe(false);
});

test.each([
  ["the first request", ""],
  ["a pipelined request", GET],
])(
  "at the limit, connections are closed if the body of %s does not arrive",
  async (_title, previous) => {
    const times = { minIdleMs: 60_000, minIncompleteMs: 50 };
    const listener: RequestListener = ({ url }, response) => {
      if (url === "/") response.end("complete");
      else if (url === "/wait") response.write("never complete");
    };
    const { server, guard } = await startGuarded({ maxConnections: 2, times }, listener);
    const incomplete = await connectPeer(server);
    const closed = closedByServer(incomplete);
    const post = "POST /post HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n";
    incomplete.write(`${previous}${post}1234`);
    const busy = await connectPeer(server);
    busy.write(post.replace("/post", "/wait") + "12345");
    expect(String(await once(busy, "data"))).toContain("never complete");
    await expect.poll(() => tryRequest(server)).toContain("complete");
    await closed;
    expect(guard.size).toBe(2);
    expect(busy.readableEnded).toBe(false);
  },
);

const LARGE = Buffer.alloc(30_000_000, "x");

test("a peer that never reads a complete response loses its connection", async () => {
  const times = { responseMs: 100 };
  const { server, guard } = await startGuarded({ times }, (_request, response) => {
    response.end(LARGE);
  });
  const peer = (await connectPeer(server)).pause();
  peer.write(GET);
  await expect.poll(() => guard.closed.slow_reader).toBe(1);
  await untilOpen(server, 0);
});

test("a peer that never reads loses its connection even if it sends more requests", async () => {
  const times = { responseMs: 100 };
  const { server, guard } = await startGuarded({ times }, (_request, response) => {
    response.end(LARGE);
  });
  const peer = (await connectPeer(server)).pause();
  peer.write(GET.repeat(20));
  const timer = setInterval(() => peer.write(GET), 10);
  onTestFinished(() => clearInterval(timer));
  await expect.poll(() => guard.closed.slow_reader).toBe(1);
});

test.each([
  ["although it closes its side of the connection", "/small", (peer: Socket) => peer.end()],
  ["behind an event stream", "/stream", () => undefined],
])("a peer that never reads loses its connection %s", async (_, first, then) => {
  const times = { responseMs: 100 };
  const { server, guard } = await startGuarded({ times }, ({ url }, response) => {
    if (url === "/stream") {
      response.setHeader("content-type", "text/event-stream");
      response.write("data: 1\n\n");
    } else {
      response.end(url === "/small" ? LARGE.subarray(0, 8_000_000) : "short");
    }
  });
  const peer = (await connectPeer(server)).pause();
  peer.write(GET.replace("/", first) + GET.repeat(9));
  then(peer);
  await expect.poll(() => guard.closed.slow_reader).toBe(1);
});

test("few requests with bodies wait", async () => {
  const { server, guard } = await startGuarded({}, (request) => void request.resume());
  const post = GET.replace("GET", "POST").replace("Host: a", "Host: a\r\nContent-Length: 1");
  const peer = await connectPeer(server);
  peer.write(GET.repeat(9) + `${post}x`);
  await closedByServer(peer);
  expect(guard.closed.pipelining).toBe(1);
});

test("a peer that sends many requests and reads all responses keeps its connection", async () => {
  vi.useFakeTimers({ toFake: ["performance", "setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const times = { responseMs: 100 };
  const { server, guard } = await startGuarded({ times }, () => undefined);
  const peer = await connectPeer(server);
  let received = "";
  peer.on("data", (chunk: Buffer) => (received += chunk.toString()));
  const requests = on(server, "request");
  peer.write(GET.repeat(200));
  for (let count = 1; count <= 200; count += 1) {
    // oxlint-disable-next-line no-await-in-loop -- sequential on purpose
    const { value } = await requests.next();
    const [, response] = value as [unknown, ServerResponse];
    response.end(`[${count}]`);
    // oxlint-disable-next-line no-await-in-loop -- as above
    await once(response, "close");
    vi.advanceTimersByTime(90);
    expect(guard.closed.slow_reader).toBe(0);
  }
  // oxlint-disable-next-line no-await-in-loop -- as above
  while (!received.includes("[200]")) await once(peer, "data");
  expect([...received.matchAll(/\[\d+\]/g)]).toHaveLength(200);
});

test("unread responses use limited memory: the largest ones are closed", async () => {
  const { server, guard, warn } = await startGuarded(
    { maxUnreadBytes: 3 * LARGE.length },
    ({ url }, response) => {
      response.end(url === "/small" ? LARGE.subarray(0, LARGE.length / 3) : LARGE);
    },
  );
  const requestWithoutReading = async (...paths: readonly string[]): Promise<Socket> => {
    const peer = (await connectPeer(server)).pause();
    peer.write(paths.map((path) => GET.replace("/", path)).join(""));
    return peer;
  };
  const small = await requestWithoutReading("/small");
  const large = [
    await requestWithoutReading("/large"),
    await requestWithoutReading("/large"),
    // Pipelined responses count as well.
    await requestWithoutReading("/large", "/large", "/large"),
    await requestWithoutReading("/large"),
    await requestWithoutReading("/large"),
  ];
  // 220 MB: closing the pipelined ones leaves 130 MB, and two others 70 MB.
  await expect.poll(() => guard.closed.slow_reader).toBe(3);
  expect(guard.size).toBe(large.length + 1 - 3);
  expect(warn.mock.calls).toEqual([[expect.stringMatching(/^Clients have not read \d+ MiB/)]]);
  // The small response is still sent when its peer reads it.
  let received = 0;
  small.on("data", (chunk: Buffer) => (received += chunk.length)).resume();
  await expect.poll(() => received).toBeGreaterThan(LARGE.length / 3);
});

test("a peer that reads a streamed response too slowly loses its connection", async () => {
  const times = { responseMs: 100 };
  const { server, guard } = await startGuarded({ times }, (_request, response) => {
    response.write(LARGE);
  });
  const peer = (await connectPeer(server)).pause();
  peer.write(GET);
  await expect.poll(() => guard.closed.slow_reader).toBe(1);
  await untilOpen(server, 0);
});

test("a peer that reads its response late but in time gets all of it", async () => {
  const times = { responseMs: 60_000 };
  const { server, guard } = await startGuarded({ times }, (_request, response) => {
    response.setHeader("connection", "close");
    response.end(LARGE);
  });
  const peer = (await connectPeer(server)).pause();
  peer.write(GET);
  await once(server, "request");
  let length = 0;
  peer.on("data", (chunk: Buffer) => (length += chunk.length));
  await closedByServer(peer);
  expect(length).toBeGreaterThan(LARGE.length);
  expect(guard.closed.slow_reader).toBe(0);
});

test("an event stream is not closed even if its peer does not read", async () => {
  const times = { responseMs: 1 };
  const { server, guard } = await startGuarded({ times }, (request, response) => {
    if (request.url === "/stream") response.setHeader("content-type", "text/event-stream; a=b");
    response.write(LARGE);
  });
  const stream = (await connectPeer(server)).pause();
  stream.write(GET.replace("/", "/stream"));
  await once(server, "request");
  for (let count = 1; count <= 3; count += 1) {
    const peer = await connectPeer(server); // oxlint-disable-line no-await-in-loop -- one by one
    peer.write(GET);
    await expect.poll(() => guard.closed.slow_reader).toBe(count); // oxlint-disable-line no-await-in-loop
  }
  await untilOpen(server, 1);
});

test("isResponding() is true from the first bytes of a response to its end", async () => {
  const { server, guard } = await startGuarded({}, (_request, response) => {
    response.flushHeaders();
  });
  const connected = once(server, "connection");
  const peer = await connectPeer(server);
  const [socket] = (await connected) as [Socket];
  expect(guard.isResponding(socket)).toBe(false);
  const requested = once(server, "request");
  peer.resume().write(GET);
  const [, response] = (await requested) as [unknown, ServerResponse];
  expect(guard.isResponding(socket)).toBe(true);
  response.end();
  await expect.poll(() => guard.isResponding(socket)).toBe(false);
});

test("a response precedes the end of a connection whose next request is not valid HTTP", async () => {
  const server = await startComplete((_request, response) => {
    setImmediate(() => response.end("complete"));
  });
  const send = async (request: string): Promise<string> => {
    const peer = await connectPeer(server);
    peer.write(request);
    return text(peer);
  };
  for (const count of [1, 2, 20]) {
    // oxlint-disable-next-line no-await-in-loop -- one case after another
    const received = await send(`${GET.repeat(count)}nonsense\r\n\r\n`);
    expect(received.match(/HTTP\/1.1 200/g)).toHaveLength(count);
    expect(received.match(/complete/g)).toHaveLength(count);
    expect(received.match(/HTTP\/1.1 /g)).toHaveLength(count);
  }
  expect(await send("nonsense\r\n\r\n")).toContain("HTTP/1.1 400");
});

test("when a connection is closed, so is its response, and requests that wait are dropped", async () => {
  const handled: string[] = [];
  const closes: string[] = [];
  const { server } = await startGuarded({}, (request, response) => {
    handled.push(request.url ?? "");
    response.on("close", () => closes.push(request.url ?? ""));
    response.write("never complete");
  });
  const peer = await connectPeer(server);
  const requested = vi.fn();
  server.on("request", requested);
  peer.write(["/1", "/2", "/3"].map((path) => GET.replace("/", path)).join(""));
  await expect.poll(() => requested).toHaveBeenCalledTimes(3);
  expect(closes).toEqual([]);
  peer.destroy();
  await untilOpen(server, 0);
  await expect.poll(() => closes).toEqual(["/1"]);
  expect(handled).toEqual(["/1"]);
});

test("limitRequests() handles one pipelined request at a time, and all of them in order", async () => {
  const responses: ServerResponse[] = [];
  let isStarted = false;
  const { server, guard } = await startGuarded({}, (request, response) => {
    if (isStarted) response.end(`[${request.url}]`);
    else responses.push(response);
  });
  const peer = await connectPeer(server);
  let received = "";
  peer.on("data", (chunk: Buffer) => (received += chunk.toString()));
  const paths = Array.from({ length: 200 }, (_, index) => `/${index}`);
  peer.write(paths.map((path) => GET.replace("/", path)).join(""));
  await expect.poll(() => responses.length).toBe(1);
  isStarted = true;
  for (const response of responses) response.end(`[${response.req.url}]`);
  await expect.poll(() => received).toContain("[/199]");
  expect([...received.matchAll(/\[(.*?)\]/g)].map(([, path]) => path)).toEqual(paths);
  expect(guard.closed.pipelining).toBe(0);
});

test("limitRequests() handles one of many pipelined requests, and closes the connection", async () => {
  const listener = vi.fn();
  const { server, guard } = await startGuarded({}, listener);
  const peer = await connectPeer(server);
  peer.write(GET.repeat(1000));
  await closedByServer(peer);
  expect(listener.mock.calls.length).toBe(1);
  expect(guard.closed.pipelining).toBe(1);
});

test("limitRequests() handles sequential requests immediately", async () => {
  const listener = vi.fn(respond);
  const { server } = await startGuarded({}, listener);
  const peer = await connectPeer(server);
  for (let count = 1; count <= 20; count += 1) {
    // oxlint-disable-next-line no-await-in-loop -- sequential on purpose
    expect(await requestOn(peer)).toContain("complete");
    expect(listener.mock.calls.length).toBe(count);
  }
});

test.each(["100-continue", "something-else"])(
  "createGuardedServer() also limits requests that expect %s",
  async (expectation) => {
    const guard = new ConnectionGuard({ maxConnections: 10, logger: { warn: vi.fn() }, hint: "" });
    const handle = vi.fn();
    const server = createGuardedServer(guard, handle).listen(0, "127.0.0.1");
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    await once(server, "listening");
    const peer = await connectPeer(server);
    peer.write(`GET / HTTP/1.1\r\nHost: a\r\nExpect: ${expectation}\r\n\r\n`.repeat(1000));
    await closedByServer(peer);
    expect(handle).toHaveBeenCalledTimes(1);
    expect(guard.closed.pipelining).toBe(1);
  },
);

test("createGuardedServer() sends `100 Continue` before the response to a pipelined request", async () => {
  const guard = new ConnectionGuard({ maxConnections: 10, logger: { warn: vi.fn() }, hint: "" });
  const first: ServerResponse[] = [];
  const server = createGuardedServer(guard, ({ url }, response) => {
    // A buffer, because Node writes headers separately from it.
    if (url === "/") response.end(Buffer.from("response"));
    else first.push(response);
  }).listen(0, "127.0.0.1");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, "listening");
  const peer = await connectPeer(server);
  let received = "";
  peer.on("data", (chunk: Buffer) => (received += chunk.toString()));
  const expecting = GET.replace("a\r\n", "a\r\nExpect: 100-continue\r\n");
  peer.write(GET.replace("/", "/first") + expecting + GET);
  await expect.poll(() => first).toHaveLength(1);
  first[0]?.end("first response");
  await expect.poll(() => received.match(/HTTP/g)).toHaveLength(4);
  const statuses = received
    .split(/(?=HTTP)/)
    .map((part) => part.replace(/^HTTP\/1\.1 (\d+)[^]*\r\n\r\n/, "$1 "));
  expect(statuses).toEqual(["200 first response", "100 ", "200 response", "200 response"]);
});

test("createGuardedServer() rejects a request with several `Host` headers", async () => {
  const server = await startComplete(respond);
  const send = async (headers: string): Promise<string> => {
    const peer = await connectPeer(server);
    peer.write(`GET / HTTP/1.1\r\nHost: a\r\n${headers}Connection: close\r\n\r\n`);
    return text(peer);
  };
  expect(await send("Hosts: a\r\n")).toContain("complete");
  for (const header of ["Host: b\r\n", "hOST: a\r\n"]) {
    // oxlint-disable-next-line no-await-in-loop -- one case after another
    expect(await send(header)).toMatch(/^HTTP\/1.1 400 .*The `host` header must be sent once/s);
  }
});

test("createGuardedServer() does not handle requests after one that it rejects", async () => {
  const handled: (string | undefined)[] = [];
  const server = await startComplete((request, response) => {
    handled.push(request.url);
    response.end("complete");
  });
  const peer = await connectPeer(server);
  peer.write("GET /1 HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n");
  expect(await text(peer)).toContain("The `host` header must be sent once");
  expect(handled).toEqual([]);
});

test("createGuardedServer() rejects a request with too many headers, however short they are", async () => {
  const server = await startComplete(respond);
  const send = async (count: number): Promise<string> => {
    const peer = await connectPeer(server);
    const headers = Array.from({ length: count }, (_, index) => `a${index}:b\r\n`).join("");
    peer.write(`GET / HTTP/1.1\r\nHost: a\r\n${headers}\r\n`);
    const [received] = (await once(peer, "data")) as [Buffer];
    peer.destroy();
    return received.toString();
  };
  let storedTexts = 0;
  server.prependListener("request", ({ rawHeaders }) => (storedTexts = rawHeaders.length));
  expect(await send(199)).toContain("complete");
  expect(await send(200)).toMatch(/^HTTP\/1.1 431 .*too large/s);
  // Nor does it store them, which would take memory until all headers have arrived.
  expect(await send(1500)).toMatch(/^HTTP\/1.1 431 .*too large/s);
  expect(storedTexts).toBeGreaterThan(400);
  expect(storedTexts).toBeLessThan(500);
});
