import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { Handler } from "../core/routing/handler.ts";
import { FOR_CLIENTS, type Route } from "../core/routing/route.ts";
import { createNodeListener } from "./listener.ts";

const STREAM: Route = {
  method: "GET",
  path: "/stream",
  summary: "A stream",
  tags: [],
  audience: FOR_CLIENTS,
  responses: {},
  handle: () => ({
    status: 200,
    headers: {},
    stream: { open: (events) => events.write("open") },
  }),
};

/** Serves a stream, and sends a request to it. Resolves to the request as the server sees it, when the stream is open. */
async function openStream(sent: string): Promise<IncomingMessage> {
  const listener = createNodeListener({
    handler: new Handler({
      basePath: "",
      routes: [STREAM, { ...STREAM, method: "POST", body: { schema: {} } }],
      isOwnHost: () => true,
      isReady: () => true,
      onFailure: ({ cause }) => {
        throw cause;
      },
    }),
    observe: () => {},
    readsForwarded: false,
    tracer: undefined,
    logger: { error: () => {} },
  });
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    listener(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.write(sent);
  let received = "";
  for await (const chunk of socket.setEncoding("utf8")) {
    received += String(chunk);
    if (received.includes("open")) break;
  }
  const [request] = requests;
  if (request === undefined) throw new Error("No request has arrived");
  return request;
}

test("only the path of a request whose response is a stream stays in memory", async () => {
  const { url, headers, rawHeaders } = await openStream(
    "GET /stream?a=1&a=2&c HTTP/1.1\r\nHost: x\r\nAuthorization: key\r\n\r\n",
  );
  expect({ url, headers, rawHeaders }).toEqual({ url: "/stream", headers: {}, rawHeaders: [] });
});

test("the trailers of a request whose response is a stream take no memory", async () => {
  const request = await openStream(
    "POST /stream HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n" +
      "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nfirst: 1\r\nsecond: 2\r\n\r\n",
  );
  await expect.poll(() => request.complete).toBe(true);
  await expect.poll(() => request.rawTrailers).toEqual([]);
  expect(request.trailers).toEqual({});
});

test("the body of a GET, which nothing reads, takes no memory while a stream is open", async () => {
  const body = "x".repeat(10_000);
  const request = await openStream(
    `GET /stream HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  await expect.poll(() => request.readableEnded).toBe(true);
  expect(request.readableLength).toBe(0);
});
