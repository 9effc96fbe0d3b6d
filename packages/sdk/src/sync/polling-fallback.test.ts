import { expect, onTestFinished, test } from "vitest";
import { UpstreamError } from "../transport/upstream-error.ts";
import { createUpdater, documentOf, nextTick } from "./_flag-updater.ts";
import { createPolling } from "./polling.ts";
import { PollingFallback } from "./polling-fallback.ts";
import type { PreferredOptions } from "./polling-fallback.ts";

const ignore = (): undefined => undefined;
const UNABORTED = new AbortController().signal;
const FAILURE = new UpstreamError("The stream broke", { code: "NETWORK" });

/** Polling that delivers one document, and a preferred synchronizer controlled by the test. */
function createFallback() {
  const { updater, log } = createUpdater();
  const options = { sink: updater, intervalMs: 60_000, random: Math.random };
  const events = { error: ignore, warn: ignore, failure: ignore };
  const api = {
    fetchFeatures: async () => ({ document: documentOf("polled", 5), etag: undefined }),
  };
  let hooks: Pick<PreferredOptions, "sink" | "onFailure"> = { sink: updater, onFailure: ignore };
  const fallback = new PollingFallback({
    ...options,
    createPolling: () => createPolling({ ...options, api, events }),
    createPreferred: (given) => {
      hooks = given;
      return { start: ignore, stop: async () => undefined };
    },
  });
  fallback.start();
  onTestFinished(() => fallback.stop());
  return { preferred: hooks, log };
}

async function severalTicks(): Promise<void> {
  for (let tick = 0; tick < 50; tick += 1) await nextTick();
}

test("ignores polled flags that arrive while flags of the preferred synchronizer are compiled", async () => {
  const { preferred, log } = createFallback();
  const accepted = preferred.sink.accept(documentOf("streamed", 5), UNABORTED);
  preferred.onFailure(FAILURE);
  await accepted;
  await severalTicks();
  expect(log).toEqual(["saved", "changed to streamed", "ready"]);
});

test("uses polled flags, and then flags of the preferred synchronizer", async () => {
  const { preferred, log } = createFallback();
  preferred.onFailure(FAILURE);
  await nextTick();
  await preferred.sink.accept(documentOf("streamed", 5), UNABORTED);
  await severalTicks();
  expect(log).toEqual(["saved", "changed to polled", "ready", "saved", "changed to streamed"]);
});

test("continues polling if the flags of the preferred synchronizer are unusable", async () => {
  const { preferred, log } = createFallback();
  const accepted = preferred.sink.accept({ features: [{ name: 7 }] }, UNABORTED);
  preferred.onFailure(FAILURE);
  await expect(accepted).rejects.toThrow("features[0].name must be a string");
  await severalTicks();
  expect(log).toEqual(["saved", "changed to polled", "ready"]);
});
