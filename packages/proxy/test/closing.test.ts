import { EventEmitter, once } from "node:events";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { Gauge } from "prom-client";
import { expect, onTestFinished, test, vi } from "vitest";
import type { KeyVerifier } from "../src/core/access/verified-key.ts";
import { createMetrics } from "../src/metrics/metrics.ts";
import { toSource } from "../src/sources/sources.ts";
import { serve } from "../src/start/start.ts";
import { SAMPLE } from "./_documents.ts";
import { KEY, proxyConfig, startProxy } from "./_proxy.ts";
import { DocumentSource } from "./_source.ts";

// Each may wait several seconds for an upstream or a store that hangs, and the shutdown takes 10 s at most.
test("sources and verified keys are closed at the same time", async () => {
  const events = new EventEmitter();
  const isReleased = once(events, "release");
  let verifierIsClosing = false;

  class SlowSource extends DocumentSource {
    override async close(): Promise<void> {
      events.emit("closing");
      await isReleased;
    }
  }
  const verifier: KeyVerifier = {
    verify: async () => ({ status: "invalid" }),
    confirm: async () => ({ status: "invalid" }),
    follow: () => {},
    close: async () => {
      verifierIsClosing = true;
      events.emit("closing");
      await isReleased;
    },
  };
  const proxy = await serve(
    proxyConfig({ upstreamKeys: { revalidationIntervalMs: 60_000, maxAgeMs: 60_000 } }),
    { sources: [toSource(new SlowSource(SAMPLE))], areOwned: true },
    { verifier },
  );
  const firstIsClosing = once(events, "closing");
  const closed = proxy.close();
  await firstIsClosing;
  await new Promise((resolve) => void setImmediate(resolve));
  expect(verifierIsClosing).toBe(true);
  events.emit("release");
  await closed;
});

test("a start that fails closes the keys, so that nothing continues to follow them", async () => {
  let closed = 0;
  const verifier: KeyVerifier = {
    verify: async () => ({ status: "invalid" }),
    confirm: async () => ({ status: "invalid" }),
    follow: () => {},
    close: async () => {
      closed += 1;
    },
  };
  const metrics = createMetrics();
  // The proxy has a metric of the same name.
  void new Gauge({ name: "flags_proxy_flags", help: "Flags", registers: [metrics.registry] });
  const starting = serve(
    proxyConfig({ upstreamKeys: { revalidationIntervalMs: 60_000, maxAgeMs: 60_000 } }),
    { sources: [toSource(new DocumentSource(SAMPLE))], areOwned: true },
    { verifier, metrics },
  );
  await expect(starting).rejects.toThrow("flags_proxy_flags has already been registered");
  expect(closed).toBe(1);
});

test("a connection in use when the proxy closes ends after the response to one more request", async () => {
  const { server, port, close } = await startProxy();
  const socket = connect(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  const responses = text(socket);
  const headers = `Host: flags\r\nAuthorization: ${KEY}\r\n`;
  const received = once(server, "request");
  socket.write(
    `POST /proxy HTTP/1.1\r\n${headers}Content-Type: application/json\r\nContent-Length: 14\r\n\r\n{`,
  );
  await received;
  const closed = close();
  await expect.poll(() => server.listening).toBe(false);
  socket.write('"context":{}}');
  socket.write(`GET /proxy HTTP/1.1\r\n${headers}\r\n`);
  await closed;
  const [, first = "", second = ""] = (await responses).split("HTTP/1.1 ");
  expect(first).toMatch(/^200 /);
  expect(second).toMatch(/^200 /);
  expect(second).toMatch(/^connection: close\r$/im);
});

test("a connection that a browser has opened in advance does not delay the end", async () => {
  const { server, port, close } = await startProxy();
  const accepted = once(server, "connection");
  const socket = connect(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  await accepted;
  const ended = text(socket);
  await close();
  expect(await ended).toBe("");
});

test("a request that does not arrive delays the end by 5 s at most", async () => {
  const { server, port, close } = await startProxy();
  const accepted = once(server, "connection");
  const socket = connect(port, "127.0.0.1").on("error", () => undefined);
  onTestFinished(() => void socket.destroy());
  const [accepting] = (await accepted) as [Socket];
  socket.write("GET /proxy HTTP/1.1\r\n");
  await expect.poll(() => accepting.bytesRead).toBeGreaterThan(0);
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const closed = close();
  await vi.waitUntil(() => vi.getTimerCount() > 0);
  vi.advanceTimersByTime(5000);
  await closed;
  expect(accepting.destroyed).toBe(true);
});
