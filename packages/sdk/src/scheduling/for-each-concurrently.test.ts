import { describe, expect, it } from "vitest";
import { forEachConcurrently } from "./for-each-concurrently.ts";

const nextTick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("forEachConcurrently()", () => {
  it("processes every item, up to the limit at a time", async () => {
    const processed: number[] = [];
    let running = 0;
    let highest = 0;
    await forEachConcurrently([1, 2, 3, 4, 5], 2, async (item) => {
      running += 1;
      highest = Math.max(highest, running);
      await nextTick();
      running -= 1;
      processed.push(item);
    });
    expect(processed.toSorted()).toEqual([1, 2, 3, 4, 5]);
    expect(highest).toBe(2);
  });

  it("starts no more items after a failure, completes the pending ones, and rejects", async () => {
    const processed: number[] = [];
    let isReturned = false;
    function* items(): Generator<number> {
      try {
        yield* [1, 2, 3, 4, 5];
      } finally {
        isReturned = true;
      }
    }
    const result = forEachConcurrently(items(), 2, async (item) => {
      if (item === 1) throw new Error("failed");
      await nextTick();
      processed.push(item);
    });
    await expect(result).rejects.toThrow("failed");
    expect(processed).toEqual([2]);
    expect(isReturned).toBe(true);
  });
});
