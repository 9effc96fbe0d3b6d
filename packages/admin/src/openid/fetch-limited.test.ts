import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { fetchLimited } from "./fetch-limited.ts";

const OPTIONS = { method: "GET", headers: {}, body: undefined, redirect: "manual" } as const;

/** Serves the same body for every request, until the end of the test. */
async function serve(body: string): Promise<string> {
  const server = createServer((_request, response) => {
    response.writeHead(201, { "content-type": "application/json" }).end(body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test("fetchLimited() returns the status, the headers and the body", async () => {
  const response = await fetchLimited(await serve('{"a":1}'), OPTIONS);
  expect(response.status).toBe(201);
  expect(response.headers.get("content-type")).toBe("application/json");
  expect(await response.json()).toEqual({ a: 1 });
});

test("fetchLimited() stops reading a response that is too large", async () => {
  const response = await fetchLimited(await serve("x".repeat(4 * 1024 * 1024 + 1)), OPTIONS);
  await expect(response.text()).rejects.toThrow("more than 4194304 bytes");
});
