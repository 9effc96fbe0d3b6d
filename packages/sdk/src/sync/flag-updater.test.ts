import fc from "fast-check";
import { runToEnd } from "flags-engine";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { fuzzRuns } from "../../../../scripts/test-size.ts";
import { createState, createUpdater, documentOf, nextTick } from "../../test/_flag-updater.ts";
import type { FlagState, Origin } from "./flag-state.ts";

const UNABORTED = new AbortController().signal;

/** A document whose last flag is invalid. */
const brokenDocument = (): unknown => ({
  features: [...documentOf("broken", 3).features, { name: 7 }],
});

describe("FlagUpdater", () => {
  test("accept() keeps the previous data until the whole document is compiled", async () => {
    const { updater, state, log } = createUpdater();
    await updater.accept(documentOf("old", 3), UNABORTED);
    const before = state.snapshot;
    log.length = 0;
    let isDone = false;
    const accepted = updater.accept(documentOf("new", 9), UNABORTED).then(() => (isDone = true));
    let ticks = 0;
    for (; log.length === 0; ticks += 1) {
      expect(state.snapshot).toBe(before);
      expect(isDone).toBe(false);
      await nextTick();
    }
    expect(ticks).toBeGreaterThan(9);
    await accepted;
    expect(log).toEqual(["saved", "changed to new"]);
  });

  test("accept() rejects a document with an invalid flag, and accepts the next one", async () => {
    const { updater, log } = createUpdater();
    const results = await Promise.allSettled([
      updater.accept(documentOf("good", 2), UNABORTED),
      updater.accept(brokenDocument(), UNABORTED),
      updater.accept(documentOf("better", 2), UNABORTED),
    ]);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(log).toEqual(["saved", "changed to good", "ready", "saved", "changed to better"]);
  });

  test("accept() discards a document if the signal is aborted before it is compiled", async () => {
    const { updater, state, log } = createUpdater();
    const abort = new AbortController();
    const accepted = updater.accept(documentOf("new", 9), abort.signal);
    await nextTick();
    abort.abort();
    await expect(accepted).rejects.toBe(abort.signal.reason);
    await nextTick();
    expect(state.snapshot).toBeUndefined();
    expect(log).toEqual([]);
  });

  test("acceptFrom() waits for an earlier document of the upstream, which outranks it", async () => {
    const { updater, state, log } = createUpdater();
    await Promise.all([
      updater.accept(documentOf("upstream", 9), UNABORTED),
      updater.acceptFrom("store", documentOf("storage", 1), UNABORTED),
    ]);
    expect(log).toEqual(["saved", "changed to upstream", "ready"]);
    expect(state.snapshot?.flags).toHaveLength(9);
  });

  test("acceptFrom() does not change the age of flags from the upstream", async () => {
    const { updater } = createUpdater();
    await updater.accept(documentOf("upstream", 1), UNABORTED);
    const { confirmedAtMs } = updater;
    await updater.acceptFrom("store", documentOf("storage", 1), UNABORTED, 60_000);
    expect(confirmedAtMs).toBeDefined();
    expect(updater.confirmedAtMs).toBe(confirmedAtMs);
  });

  test("acceptShared() and confirmed() record when the upstream confirmed the flags", async () => {
    vi.useFakeTimers({ toFake: ["Date", "performance"], now: 1_000_000 });
    onTestFinished(() => void vi.useRealTimers());
    vi.advanceTimersByTime(100_000);
    const { updater } = createUpdater();
    const agoMs = 60_000;
    const text = JSON.stringify({ version: 2, ...documentOf("shared", 1) });
    const confirmedAtMs = performance.now() - agoMs;
    await updater.acceptShared(text, confirmedAtMs, UNABORTED);
    expect(updater.confirmedAtMs).toBe(performance.now() - agoMs);
    expect(updater.lastFetchAtMs).toBe(Date.now() - agoMs);
    updater.confirmed(performance.now() - 5);
    expect(updater.confirmedAtMs).toBe(performance.now() - 5);
    expect(updater.lastFetchAtMs).toBe(Date.now() - 5);
  });

  test("confirmed() ends what another synchronizer has held back", async () => {
    const { updater } = createUpdater();
    await updater.accept(documentOf("a", 2), UNABORTED);
    updater.setHeldBack(true);
    expect(updater.fall).toMatchObject({ before: 2, isHeldBack: true });
    updater.confirmed(performance.now());
    expect(updater.fall).toBeUndefined();
  });

  const arrivals = fc.array(
    fc.record({
      origin: fc.constantFrom<Exclude<Origin, "shared">>(
        "store",
        "bootstrap",
        "upstream",
        "upstream",
      ),
      type: fc.constantFrom("a", "b", "c"),
      flags: fc.integer({ min: 1, max: 5 }),
      isBroken: fc.boolean(),
      /** Ticks of the event loop before the next document. */
      ticks: fc.integer({ min: 0, max: 8 }),
      /** Ticks of the event loop until the signal is aborted. */
      abortAfter: fc.option(fc.integer({ min: 0, max: 20 }), { nil: undefined }),
    }),
    { maxLength: 6 },
  );

  test("accept() has the same result as without slices, for any mix of documents and aborts", async () => {
    await fc.assert(
      fc.asyncProperty(arrivals, async (all) => {
        const { updater, state } = createUpdater();
        const unsliced = createState();
        const pending = [];
        for (const { origin, type, flags, isBroken, ticks, abortAfter } of all) {
          const document = isBroken ? brokenDocument() : documentOf(type, flags);
          const abort = new AbortController();
          const accepted =
            origin === "upstream"
              ? updater.accept(document, abort.signal)
              : updater.acceptFrom(origin, document, abort.signal);
          pending.push(
            accepted.then(
              () => runToEnd(unsliced.accept(document, origin)),
              (cause: unknown) => expect(isBroken || cause === abort.signal.reason).toBe(true),
            ),
          );
          if (abortAfter !== undefined) void abortLater(abort, abortAfter);
          for (let tick = 0; tick < ticks; tick += 1) {
            await nextTick();
            expectConsistent(state);
          }
        }
        await Promise.all(pending);
        expectConsistent(state);
        expect(state.definitions).toEqual(unsliced.definitions);
        expect(state.snapshot?.flags).toEqual(unsliced.snapshot?.flags);
        expect(state.snapshot?.revision).toBe(unsliced.snapshot?.revision);
      }),
      { numRuns: fuzzRuns(8, 60) },
    );
  });
});

async function abortLater(abort: AbortController, ticks: number): Promise<void> {
  for (let tick = 0; tick < ticks; tick += 1) await nextTick();
  abort.abort();
}

/** Snapshot and definitions always belong to the same single document. */
function expectConsistent({ snapshot, definitions }: FlagState): void {
  const types = snapshot?.flags.map(({ type }) => type);
  expect(new Set(types).size).toBeLessThan(2);
  expect(types).toEqual(definitions?.features.map((one) => (one as { type: string }).type));
}
