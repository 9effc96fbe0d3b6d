import { EventEmitter, once } from "node:events";
import { expect, test } from "vitest";
import type { KeyVerifier } from "../src/access/verified-key.ts";
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
