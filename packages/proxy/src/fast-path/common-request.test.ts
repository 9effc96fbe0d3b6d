import { once } from "node:events";
import { createServer, IncomingMessage } from "node:http";
import { type AddressInfo, connect, Socket } from "node:net";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { isCommonGet, isCommonPost, readShortBody } from "./common-request.ts";

interface Parts {
  readonly method?: string;
  readonly url?: string;
  readonly headers?: IncomingMessage["headers"];
}

const get = ({ method = "GET", url = "/proxy", headers = {} }: Parts): boolean =>
  isCommonGet({ method, url, headers } as IncomingMessage, "/proxy");

test.each<[boolean, Parts]>([
  [true, {}],
  [true, { url: "/proxy?userId=1" }],
  [false, { url: "/proxy/" }],
  [false, { url: "/proxy/all" }],
  [false, { url: "/prox" }],
  [false, { method: "HEAD" }],
  [false, { headers: { "content-length": "0" } }],
  [false, { headers: { "transfer-encoding": "chunked" } }],
])("isCommonGet() is %s for %j", (isCommon, parts) => {
  expect(get(parts)).toBe(isCommon);
});

const JSON_HEADERS = { "content-type": "application/json", "content-length": "2" };
const post = ({ method = "POST", url = "/proxy", headers = {} }: Parts): boolean =>
  isCommonPost(
    { method, url, headers: { ...JSON_HEADERS, ...headers } } as IncomingMessage,
    "/proxy",
  );

test.each<[boolean, Parts]>([
  [true, {}],
  [true, { headers: { "content-type": "application/json;charset=UTF-8" } }],
  [false, { headers: { "content-type": "application/json; charset=latin1" } }],
  [false, { headers: { "content-type": "application/json-patch+json" } }],
  [false, { headers: { "content-type": undefined } }],
  [false, { headers: { "content-encoding": "gzip" } }],
  [false, { headers: { "content-length": undefined, "transfer-encoding": "chunked" } }],
  [true, { headers: { "content-length": "16384" } }],
  [false, { headers: { "content-length": "16385" } }],
  [false, { headers: { "content-length": "0" } }],
  [false, { url: "/proxy?userId=1" }],
  [false, { url: "/proxy/all" }],
  [false, { method: "PUT" }],
])("isCommonPost() is %s for %j", (isCommon, parts) => {
  expect(post(parts)).toBe(isCommon);
});

function requestOf(length: string): IncomingMessage {
  const request = new IncomingMessage(new Socket());
  request.headers["content-length"] = length;
  return request;
}

/** Reads the body of a request; resolves to the bodies that were passed on. */
async function readBody(request: IncomingMessage, isAccepted: boolean): Promise<readonly string[]> {
  const bodies: string[] = [];
  await new Promise<void>((resolve) => {
    const accept = (body: string): boolean => {
      bodies.push(body);
      if (isAccepted) resolve();
      return isAccepted;
    };
    readShortBody(request, accept, resolve);
  });
  return bodies;
}

test("readShortBody() passes on a complete body and reads the request to its end", async () => {
  const request = requestOf("5");
  const accepted = readBody(request, true);
  request.push("hel");
  request.push("lo");
  expect(await accepted).toEqual(["hello"]);
  const end = once(request, "end");
  request.push(null);
  await end;
});

test.each([
  ["ended", true],
  ["not ended", false],
])("readShortBody() restores a body that was not accepted and has %s", async (_, hasEnded) => {
  const request = requestOf("5");
  const accepted = readBody(request, false);
  request.push("hello");
  if (hasEnded) request.push(null);
  expect(await accepted).toEqual(["hello"]);
  const body = text(request);
  if (!hasEnded) request.push(null);
  expect(await body).toBe("hello");
});

test("readShortBody() leaves an incomplete body untouched", async () => {
  const request = requestOf("5");
  const accepted = readBody(request, true);
  request.push("hel");
  expect(await accepted).toEqual([]);
  const body = text(request);
  request.push("lo");
  request.push(null);
  expect(await body).toBe("hello");
});

test("readShortBody() leaves the time limit of a body to the server", async () => {
  const limits = { headersTimeout: 50, requestTimeout: 50, connectionsCheckingInterval: 10 };
  const server = createServer(limits, (request) =>
    readShortBody(request, unreachable, unreachable),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.write("POST / HTTP/1.1\r\nHost: test\r\nContent-Length: 5\r\n\r\n");
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 408/);
});

const unreachable = (): never => expect.unreachable();
