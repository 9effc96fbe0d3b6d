import { expect, onTestFinished, test, vi } from "vitest";
import { UpstreamError } from "../transport/upstream-error.ts";
import { createUpdater, documentOf, nextTick } from "../../test/_flag-updater.ts";
import { createPolling } from "./polling.ts";
import { PollingFallback } from "./polling-fallback.ts";
import type { PreferredOptions } from "./polling-fallback.ts";
import { confirmedNow } from "../transport/confirmation.ts";
import type { SyncSink } from "./synchronizer.ts";

const ignore = (): undefined => undefined;
const UNABORTED = new AbortController().signal;
const FAILURE = new UpstreamError("The stream broke", { code: "NETWORK" });

/** Polling that delivers one document, and a preferred synchronizer controlled by the test. */
function createFallback() {
  const { updater, log } = createUpdater();
  const options = { sink: updater, intervalMs: 60_000 };
  const events = { error: ignore, warn: ignore, failure: ignore };
  const api = {
    fetchFeatures: async () => ({
      document: documentOf("polled", 5),
      etag: undefined,
      confirmation: confirmedNow(),
    }),
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
  const accepted = preferred.sink.accept(documentOf("streamed", 5), UNABORTED, confirmedNow());
  preferred.onFailure(FAILURE);
  await accepted;
  await severalTicks();
  expect(log).toEqual(["saved", "changed to streamed", "ready"]);
});

test("uses polled flags, and then flags of the preferred synchronizer", async () => {
  const { preferred, log } = createFallback();
  preferred.onFailure(FAILURE);
  await nextTick();
  await preferred.sink.accept(documentOf("streamed", 5), UNABORTED, confirmedNow());
  await severalTicks();
  expect(log).toEqual(["saved", "changed to polled", "ready", "saved", "changed to streamed"]);
});

test("continues polling if the flags of the preferred synchronizer are unusable", async () => {
  const { preferred, log } = createFallback();
  const accepted = preferred.sink.accept({ features: [{ name: 7 }] }, UNABORTED, confirmedNow());
  preferred.onFailure(FAILURE);
  await expect(accepted).rejects.toThrow("features[0].name must be a string");
  await severalTicks();
  expect(log).toEqual(["saved", "changed to polled", "ready"]);
});

const INTERVAL_MS = 1000;
/** A little longer than an interval with its jitter. */
const MORE_THAN_INTERVAL_MS = 1200;
const NOT_OFFERED = new UpstreamError("There are no streams", { code: "NOT_OFFERED" });

/** A preferred synchronizer and polling that are both controlled by the test, with fake timers. */
function createControlled() {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const sink: SyncSink = { accept: async () => undefined, unchanged: ignore };
  const polling = { sink, isRunning: false };
  const preferred: { hooks?: Pick<PreferredOptions, "sink" | "onFailure" | "isCurrent"> } = {};
  const fallback = new PollingFallback({
    sink,
    intervalMs: INTERVAL_MS,
    createPolling: (given) => {
      polling.sink = given;
      return {
        start: () => void (polling.isRunning = true),
        stop: async () => void (polling.isRunning = false),
      };
    },
    createPreferred: (hooks) => {
      preferred.hooks = hooks;
      return { start: ignore, stop: async () => undefined };
    },
  });
  fallback.start();
  onTestFinished(() => fallback.stop());
  if (preferred.hooks === undefined) throw new TypeError("There is no preferred synchronizer");
  return { fallback, polling, ...preferred.hooks };
}

test("polls one interval after the first failure since flags were delivered, and until the next success", async () => {
  const { polling, sink, onFailure } = createControlled();
  await sink.accept({}, UNABORTED, confirmedNow());
  onFailure(FAILURE);
  expect(polling.isRunning).toBe(false);
  vi.advanceTimersByTime(MORE_THAN_INTERVAL_MS);
  expect(polling.isRunning).toBe(true);
  sink.unchanged(confirmedNow());
  expect(polling.isRunning).toBe(false);
});

test("does not poll if the preferred synchronizer succeeds within one interval", async () => {
  const { polling, sink, onFailure } = createControlled();
  await sink.accept({}, UNABORTED, confirmedNow());
  onFailure(FAILURE);
  sink.unchanged(confirmedNow());
  vi.advanceTimersByTime(MORE_THAN_INTERVAL_MS);
  expect(polling.isRunning).toBe(false);
});

test("polls immediately if the upstream no longer offers what is preferred", async () => {
  const { polling, sink, onFailure } = createControlled();
  await sink.accept({}, UNABORTED, confirmedNow());
  onFailure(NOT_OFFERED);
  expect(polling.isRunning).toBe(true);
});

test("does not poll after stop()", async () => {
  const { fallback, polling, onFailure } = createControlled();
  await fallback.stop();
  onFailure(NOT_OFFERED);
  expect(polling.isRunning).toBe(false);
});

test("the document of the preferred synchronizer is current until polling replaces it", async () => {
  const { polling, sink, onFailure, isCurrent } = createControlled();
  expect(isCurrent()).toBe(false);
  await sink.accept({}, UNABORTED, confirmedNow());
  expect(isCurrent()).toBe(true);
  onFailure(NOT_OFFERED);
  polling.sink.unchanged(confirmedNow());
  expect(isCurrent()).toBe(true);
  await polling.sink.accept({}, UNABORTED, confirmedNow());
  expect(isCurrent()).toBe(false);
  await sink.accept({}, UNABORTED, confirmedNow());
  expect(isCurrent()).toBe(true);
});
