import { once } from "node:events";
import { createServer, IncomingMessage } from "node:http";
import { type AddressInfo, connect, Socket } from "node:net";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { hasShortBody, offerBody, type Taker } from "./short-body.ts";

function requestOf(length: string | undefined): IncomingMessage {
  const request = new IncomingMessage(new Socket());
  if (length !== undefined) request.headers["content-length"] = length;
  return request;
}

/** Offers the body of a request; resolves to what was offered when that is settled. */
async function offer(request: IncomingMessage, isTaken: boolean): Promise<readonly string[]> {
  const offered: string[] = [];
  await new Promise<void>((resolve) => {
    offerBody(request, {
      take: (body) => {
        offered.push(body);
        if (isTaken) resolve();
        return isTaken;
      },
      leave: resolve,
    });
  });
  return offered;
}

test.each([
  [undefined, false],
  ["0", false],
  ["1", true],
  ["16384", true],
  ["16385", false],
])("hasShortBody() with a content-length of %s is %s", (length, isShort) => {
  expect(hasShortBody(requestOf(length))).toBe(isShort);
});

test("offerBody() offers a body that is all there, and reads to its end when it is taken", async () => {
  const request = requestOf("5");
  const offered = offer(request, true);
  request.push("hel");
  request.push("lo");
  expect(await offered).toEqual(["hello"]);
  const end = once(request, "end");
  request.push(null);
  await end;
});

test.each([
  ["ended", true],
  ["not ended", false],
])("offerBody() gives a body back that nobody takes, and that has %s", async (_, hasEnded) => {
  const request = requestOf("5");
  const offered = offer(request, false);
  request.push("hello");
  if (hasEnded) request.push(null);
  expect(await offered).toEqual(["hello"]);
  const body = text(request);
  if (!hasEnded) request.push(null);
  expect(await body).toBe("hello");
});

test("offerBody() leaves a body of which a part is missing, and does not touch it", async () => {
  const request = requestOf("5");
  const offered = offer(request, true);
  request.push("hel");
  expect(await offered).toEqual([]);
  const body = text(request);
  request.push("lo");
  request.push(null);
  expect(await body).toBe("hello");
});

test("offerBody() leaves it to the server how long a body may take", async () => {
  const limits = { headersTimeout: 50, requestTimeout: 50, connectionsCheckingInterval: 10 };
  const server = createServer(limits, (request) => offerBody(request, unreachable));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.write("POST / HTTP/1.1\r\nHost: test\r\nContent-Length: 5\r\n\r\n");
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 408/);
});

const unreachable: Taker<string> = {
  take: () => expect.unreachable(),
  leave: () => expect.unreachable(),
};
