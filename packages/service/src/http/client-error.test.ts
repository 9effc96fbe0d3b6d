import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { createClientErrorHandler } from "./client-error.ts";

async function answerTo(request: string): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  server.on("clientError", createClientErrorHandler({ toBody: (fault) => ({ fault }) }));
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.write(request);
  return text(socket);
}

test.each([
  ["nonsense\r\n\r\n", 400, "not valid HTTP"],
  [`GET / HTTP/1.1\r\nHost: a\r\nX: ${"x".repeat(70_000)}`, 431, "too large: send less of them"],
])("createClientErrorHandler() answers %.20s with %d and a body of choice", async (...row) => {
  const [request, statusCode, words] = row;
  const answer = await answerTo(request);
  const [head = "", body = ""] = answer.split("\r\n\r\n");
  expect(head).toContain(`HTTP/1.1 ${statusCode} `);
  expect(head).toContain(`Content-Length: ${Buffer.byteLength(body)}`);
  expect(JSON.parse(body)).toEqual({
    fault: { statusCode, message: expect.stringContaining(words) as string },
  });
});
