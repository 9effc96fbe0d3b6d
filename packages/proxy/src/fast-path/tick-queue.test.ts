import { setImmediate as nextTick } from "node:timers/promises";
import { expect, test } from "vitest";
import { TickQueue } from "./tick-queue.ts";

test("add() handles items in order at the end of the tick", async () => {
  const handled: number[] = [];
  const queue = new TickQueue<number>(
    (item) => handled.push(item),
    () => 0,
  );
  for (const item of [1, 2, 3]) queue.add(item);
  expect(handled).toEqual([]);
  await nextTick();
  expect(handled).toEqual([1, 2, 3]);

  queue.add(4);
  await nextTick();
  expect(handled).toEqual([1, 2, 3, 4]);
});

test("add() handles all items at once when the first has waited longer than a millisecond", async () => {
  const handled: number[] = [];
  let nowMs = 0;
  const queue = new TickQueue<number>(
    (item) => handled.push(item),
    () => nowMs,
  );
  queue.add(1);
  nowMs = 0.9;
  queue.add(2);
  expect(handled).toEqual([]);
  nowMs = 1.1;
  queue.add(3);
  expect(handled).toEqual([1, 2, 3]);
  queue.add(4);
  await nextTick();
  expect(handled).toEqual([1, 2, 3, 4]);
});
