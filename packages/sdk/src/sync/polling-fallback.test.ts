import { expect, onTestFinished, test } from "vitest";
import { UpstreamError } from "../transport/upstream-error.ts";
import { createFeed, documentOf, nextTurn } from "./_feed.ts";
import { createPolling } from "./polling.ts";
import { PollingFallback } from "./polling-fallback.ts";
import type { PreferredOptions } from "./polling-fallback.ts";

const ignore = (): undefined => undefined;
const UNABORTED = new AbortController().signal;
const FAULT = new UpstreamError("The stream broke", { code: "NETWORK" });

/** Real polling, which brings one document, beside a preferred way that does what the test says. */
function createFallback() {
  const { feed, log } = createFeed();
  const options = { sink: feed, intervalMs: 60_000, random: Math.random };
  const faults = { error: ignore, warn: ignore, failure: ignore };
  const api = {
    fetchFeatures: async () => ({ document: documentOf("polled", 5), etag: undefined }),
  };
  let hooks: Pick<PreferredOptions, "sink" | "onFailure"> = { sink: feed, onFailure: ignore };
  const fallback = new PollingFallback({
    ...options,
    createPolling: () => createPolling({ ...options, api, faults }),
    createPreferred: (given) => {
      hooks = given;
      return { start: ignore, stop: async () => undefined };
    },
  });
  fallback.start();
  onTestFinished(() => fallback.stop());
  return { preferred: hooks, log };
}

async function severalTurns(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await nextTurn();
}

test("drops what polling brings while the preferred way puts its flags in force", async () => {
  const { preferred, log } = createFallback();
  const accepted = preferred.sink.accept(documentOf("streamed", 5), UNABORTED);
  preferred.onFailure(FAULT);
  await accepted;
  await severalTurns();
  expect(log).toEqual(["saved", "changed to streamed", "ready"]);
});

test("puts in force what polling brought, and then what the preferred way brings", async () => {
  const { preferred, log } = createFallback();
  preferred.onFailure(FAULT);
  await nextTurn();
  await preferred.sink.accept(documentOf("streamed", 5), UNABORTED);
  await severalTurns();
  expect(log).toEqual(["saved", "changed to polled", "ready", "saved", "changed to streamed"]);
});

test("goes on polling when the flags of the preferred way are unusable", async () => {
  const { preferred, log } = createFallback();
  const accepted = preferred.sink.accept({ features: [{ name: 7 }] }, UNABORTED);
  preferred.onFailure(FAULT);
  await expect(accepted).rejects.toThrow("features[0].name must be text");
  await severalTurns();
  expect(log).toEqual(["saved", "changed to polled", "ready"]);
});
