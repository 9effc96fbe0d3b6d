import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { TurnQueue } from "./turn-queue.ts";

test("add() has items handled in their order, at the end of the turn", async () => {
  const handled: number[] = [];
  const queue = new TurnQueue<number>(
    (item) => handled.push(item),
    () => 0,
  );
  for (const item of [1, 2, 3]) queue.add(item);
  expect(handled).toEqual([]);
  await nextTurn();
  expect(handled).toEqual([1, 2, 3]);

  queue.add(4);
  await nextTurn();
  expect(handled).toEqual([1, 2, 3, 4]);
});

test("add() does not let the first one wait for many that take long", async () => {
  const handled: number[] = [];
  let nowMs = 0;
  const queue = new TurnQueue<number>(
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
  await nextTurn();
  expect(handled).toEqual([1, 2, 3, 4]);
});
