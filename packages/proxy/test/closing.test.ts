import { EventEmitter, once } from "node:events";
import { createGauge } from "flags-server-kit/http";
import { expect, test } from "vitest";
import type { KeyVerifier } from "../src/access/verified-key.ts";
import { createMetrics } from "../src/metrics/metrics.ts";
import { toUpstreamSource } from "../src/sources.ts";
import { serve } from "../src/start.ts";
import { SAMPLE } from "./_documents.ts";
import { proxyConfig } from "./_proxy.ts";
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
    verified: [],
    verify: async () => ({ status: "invalid" }),
    follow: () => {},
    touch: () => {},
    close: async () => {
      verifierIsClosing = true;
      events.emit("closing");
      await isReleased;
    },
  };
  const proxy = await serve(
    proxyConfig({ upstreamKeys: { revalidationIntervalMs: 60_000 } }),
    { sources: [toUpstreamSource(new SlowSource(SAMPLE))], areOwned: true },
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
    verified: [],
    verify: async () => ({ status: "invalid" }),
    follow: () => {},
    touch: () => {},
    close: async () => {
      closed += 1;
    },
  };
  const metrics = createMetrics();
  // The proxy has a metric of the same name.
  createGauge(metrics.registry, { name: "flags_proxy_flags", help: "Flags", read: () => 0 });
  const starting = serve(
    proxyConfig({ upstreamKeys: { revalidationIntervalMs: 60_000 } }),
    { sources: [toUpstreamSource(new DocumentSource(SAMPLE))], areOwned: true },
    { verifier, metrics },
  );
  await expect(starting).rejects.toThrow("flags_proxy_flags has already been registered");
  expect(closed).toBe(1);
});
