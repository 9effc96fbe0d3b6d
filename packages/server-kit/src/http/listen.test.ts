import { createServer } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { describeListening, openPort } from "./listen.ts";

test.each([
  ["127.0.0.1", "127.0.0.1"],
  ["0.0.0.0", "localhost"],
])("openPort() on %s returns the origin that clients can use", async (host, shown) => {
  const server = createServer((_request, response) => response.end("here"));
  onTestFinished(() => void server.close());
  const { port, origin } = await openPort(server, { port: 0, host });
  expect(origin).toBe(`http://${shown}:${port}`);
  expect(await (await fetch(`http://127.0.0.1:${port}`)).text()).toBe("here");
});

test.each([
  ["127.0.0.1", [80], "URL"],
  [undefined, [80], "port 80 of all addresses, for example URL"],
  ["0.0.0.0", [443, 80], "ports 443 and 80 of all addresses, for example URL"],
])("describeListening() on host %s and ports %j", (host, numbers, text) => {
  const ports = numbers.map((port) => ({ port, origin: "" }));
  expect(describeListening(host, ports, "URL")).toBe(text);
});
