import fc from "fast-check";
import { complete } from "flags-engine";
import { describe, expect, test } from "vitest";
import { createFeed, createState, documentOf, nextTurn } from "./_feed.ts";
import type { FlagState, Origin } from "./flag-state.ts";

const UNABORTED = new AbortController().signal;

/** One that turns out to be unusable in the middle. */
const brokenDocument = (): unknown => ({
  features: [...documentOf("broken", 3).features, { name: 7 }],
});

describe("FlagFeed", () => {
  test("accept() leaves all as it was until a document is in force as a whole", async () => {
    const { feed, state, log } = createFeed();
    await feed.accept(documentOf("old", 3), UNABORTED);
    const before = state.snapshot;
    log.length = 0;
    let isDone = false;
    const accepted = feed.accept(documentOf("new", 9), UNABORTED).then(() => (isDone = true));
    let turns = 0;
    for (; log.length === 0; turns += 1) {
      expect(state.snapshot).toBe(before);
      expect(isDone).toBe(false);
      await nextTurn();
    }
    expect(turns).toBeGreaterThan(9);
    await accepted;
    expect(log).toEqual(["saved", "changed to new"]);
  });

  test("accept() rejects a document that is broken in the middle; the next one is taken", async () => {
    const { feed, log } = createFeed();
    const results = await Promise.allSettled([
      feed.accept(documentOf("good", 2), UNABORTED),
      feed.accept(brokenDocument(), UNABORTED),
      feed.accept(documentOf("better", 2), UNABORTED),
    ]);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(log).toEqual(["saved", "changed to good", "ready", "saved", "changed to better"]);
  });

  test("accept() drops a document when the signal is aborted in the middle", async () => {
    const { feed, state, log } = createFeed();
    const abort = new AbortController();
    const accepted = feed.accept(documentOf("new", 9), abort.signal);
    await nextTurn();
    abort.abort();
    await expect(accepted).rejects.toBe(abort.signal.reason);
    await nextTurn();
    expect(state.snapshot).toBeUndefined();
    expect(log).toEqual([]);
  });

  test("acceptFrom() waits for the upstream's document that came before, and is outranked", async () => {
    const { feed, state, log } = createFeed();
    await Promise.all([
      feed.accept(documentOf("upstream", 9), UNABORTED),
      feed.acceptFrom("storage", documentOf("storage", 1), UNABORTED),
    ]);
    expect(log).toEqual(["saved", "changed to upstream", "ready"]);
    expect(state.snapshot?.flags).toHaveLength(9);
  });

  const arrivals = fc.array(
    fc.record({
      origin: fc.constantFrom<Origin>("storage", "bootstrap", "upstream", "upstream"),
      type: fc.constantFrom("a", "b", "c"),
      flags: fc.integer({ min: 1, max: 5 }),
      isBroken: fc.boolean(),
      /** After so many turns of the loop the next one comes. */
      turns: fc.integer({ min: 0, max: 8 }),
      /** After so many it is called off. */
      abortAfter: fc.option(fc.integer({ min: 0, max: 20 }), { nil: undefined }),
    }),
    { maxLength: 6 },
  );

  test("accept() has the same result as one go, however documents and their ends mix", async () => {
    await fc.assert(
      fc.asyncProperty(arrivals, async (all) => {
        const { feed, state } = createFeed();
        const inOneGo = createState();
        const pending = [];
        for (const { origin, type, flags, isBroken, turns, abortAfter } of all) {
          const document = isBroken ? brokenDocument() : documentOf(type, flags);
          const abort = new AbortController();
          const accepted =
            origin === "upstream"
              ? feed.accept(document, abort.signal)
              : feed.acceptFrom(origin, document, abort.signal);
          pending.push(
            accepted.then(
              () => complete(inOneGo.accept(document, origin)),
              (cause: unknown) => expect(isBroken || cause === abort.signal.reason).toBe(true),
            ),
          );
          if (abortAfter !== undefined) void abortLater(abort, abortAfter);
          for (let turn = 0; turn < turns; turn += 1) {
            await nextTurn();
            expectWhole(state);
          }
        }
        await Promise.all(pending);
        expectWhole(state);
        expect(state.definitions).toEqual(inOneGo.definitions);
        expect(state.snapshot?.flags).toEqual(inOneGo.snapshot?.flags);
        expect(state.snapshot?.revision).toBe(inOneGo.snapshot?.revision);
      }),
      { numRuns: 60 },
    );
  });
});

async function abortLater(abort: AbortController, turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await nextTurn();
  abort.abort();
}

/** Never parts of two documents, nor a snapshot beside the definitions of another. */
function expectWhole({ snapshot, definitions }: FlagState): void {
  const types = snapshot?.flags.map(({ type }) => type);
  expect(new Set(types).size).toBeLessThan(2);
  expect(types).toEqual(definitions?.features.map((one) => (one as { type: string }).type));
}
