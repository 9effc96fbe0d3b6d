import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import Fastify from "fastify";
import { expect, onTestFinished, test } from "vitest";
import { listen } from "./listen.ts";

test.each([
  ["127.0.0.1", "127.0.0.1"],
  ["0.0.0.0", "localhost"],
])("listen() on %s returns the origin that clients can use", async (host, shown) => {
  const app = Fastify();
  onTestFinished(() => app.close());
  app.get("/", () => "here");
  const { port, origin } = await listen(app, { port: 0, host });
  expect(origin).toBe(`http://${shown}:${port}`);
  expect(await (await fetch(`http://127.0.0.1:${port}`)).text()).toBe("here");
});

test("listen() closes the application when the port cannot be opened", async () => {
  const holder = createServer().listen(0, "127.0.0.1");
  await once(holder, "listening");
  onTestFinished(() => void holder.close());
  const { port } = holder.address() as AddressInfo;
  const app = Fastify();
  let isClosed = false;
  app.addHook("onClose", (_app, done) => {
    isClosed = true;
    done();
  });
  await expect(listen(app, { port, host: "127.0.0.1" })).rejects.toThrow("EADDRINUSE");
  expect(isClosed).toBe(true);
});
