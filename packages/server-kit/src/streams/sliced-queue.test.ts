import { setImmediate as nextTick } from "node:timers/promises";
import { expect, test } from "vitest";
import { SlicedQueue } from "./sliced-queue.ts";

test("SlicedQueue visits every item once, over several ticks of the event loop", async () => {
  const visited: number[] = [];
  const queue = new SlicedQueue<number>((item) => visited.push(item));
  queue.add(Array.from({ length: 1000 }, (_, index) => index));
  const counts = [visited.length];
  while (visited.length < 1000) {
    // oxlint-disable-next-line no-await-in-loop -- counts after each tick
    await nextTick();
    counts.push(visited.length);
  }
  expect(counts[0]).toBe(0);
  expect(counts.length).toBeGreaterThan(4);
  expect(visited).toEqual([...visited].toSorted((a, b) => a - b));
  expect(new Set(visited).size).toBe(1000);
});

test("SlicedQueue ends a slice early if items take a long time", async () => {
  let count = 0;
  const queue = new SlicedQueue<number>(() => {
    count += 1;
    const endMs = performance.now() + 6;
    while (performance.now() < endMs) continue;
  });
  queue.add([1, 2]);
  await nextTick();
  expect(count).toBe(1);
});

test("SlicedQueue keeps the position of an item that is added again before it is visited", async () => {
  const visited: string[] = [];
  const queue = new SlicedQueue<string>((item) => {
    visited.push(item);
    if (item === "a" && visited.length === 1) queue.add(["c", "a", "b"]);
  });
  queue.add(["a", "b", "c"]);
  await nextTick();
  expect(visited).toEqual(["a", "b", "c", "a"]);
});

test("SlicedQueue does not visit deleted items", async () => {
  const visited: string[] = [];
  const queue = new SlicedQueue<string>((item) => visited.push(item));
  queue.add(["a", "b"]);
  queue.delete("a");
  await nextTick();
  queue.add(["c"]);
  queue.clear();
  await nextTick();
  expect(visited).toEqual(["b"]);
});
