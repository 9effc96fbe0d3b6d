import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import Fastify from "fastify";
import { ConnectionGuard } from "flags-server-kit/http";
import { serverOptions } from "../src/http/server.ts";

const GUARD = new ConnectionGuard({
  maxConnections: 1000,
  logger: { warn: () => undefined },
  hint: "",
});

async function send(request: string): Promise<string> {
  const app = Fastify(serverOptions(GUARD));
  onTestFinished(() => app.close());
  const { port } = new URL(await app.listen({ port: 0, host: "127.0.0.1" }));
  const socket = connect(Number(port), "127.0.0.1");
  await once(socket, "connect");
  socket.write(request);
  return text(socket);
}

test.each([
  ["a request that is not HTTP", "nonsense\r\n\r\n", 400, "BadDataError"],
  [
    "headers that are too large",
    `GET / HTTP/1.1\r\nHost: a\r\nX: ${"x".repeat(70_000)}`,
    431,
    "HeadersTooLargeError",
  ],
  [
    "a path with invalid encoding",
    "GET /%zz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
    400,
    "BadDataError",
  ],
])("%s gets an error response in the usual format", async (_, request, statusCode, name) => {
  const [head = "", body = ""] = (await send(request)).split("\r\n\r\n");
  expect(head).toContain(`HTTP/1.1 ${statusCode} `);
  expect(JSON.parse(body)).toEqual({
    id: expect.any(String) as string,
    name,
    message: expect.any(String) as string,
    details: [{ message: expect.any(String) as string }],
  });
});
