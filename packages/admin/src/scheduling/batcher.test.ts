import { expect, test } from "vitest";
import { Batcher } from "./batcher.ts";

function createRuns(maxItems = 100) {
  const runs: { items: readonly number[]; done(): void; fail(error: Error): void }[] = [];
  const batcher = new Batcher<number, string>({
    maxItems,
    run: (items) =>
      new Promise((resolve, fail) => {
        runs.push({ items, done: () => resolve(items.map(String)), fail });
      }),
  });
  return { runs, batcher };
}

test("add() combines items that arrive within one event-loop tick", async () => {
  const { runs, batcher } = createRuns();
  void batcher.add(1);
  await Promise.resolve();
  void batcher.add(2);
  expect(runs).toEqual([]);
  await new Promise(setImmediate);
  expect(runs.map(({ items }) => items)).toEqual([[1, 2]]);
});

test("add() combines items that arrived during a run that blocked the event loop", async () => {
  const sizes: number[] = [];
  let allArrived: Promise<unknown> = Promise.resolve();
  const arrive = (item: number): Promise<number> =>
    new Promise((resolve) => {
      setImmediate(() => resolve(batcher.add(item)));
    });
  const batcher = new Batcher<number, number>({
    maxItems: 100,
    run: async (items) => {
      if (sizes.length === 0) allArrived = Promise.all([1, 2, 3].map(arrive));
      sizes.push(items.length);
      return items;
    },
  });
  await batcher.add(0);
  await allArrived;
  expect(sizes).toEqual([1, 3]);
});

test("add() combines items added during a run, and resolves each with its result after the next run", async () => {
  const { runs, batcher } = createRuns();
  const first = batcher.add(1);
  await expect.poll(() => runs.length).toBe(1);
  const others = [batcher.add(2), batcher.add(3)];
  runs[0]?.done();
  expect(await first).toBe("1");
  await expect.poll(() => runs.map(({ items }) => items)).toEqual([[1], [2, 3]]);
  let isDone = false;
  const all = Promise.all(others).then(() => {
    isDone = true;
  });
  await new Promise(setImmediate);
  expect(isDone).toBe(false);
  runs[1]?.done();
  await all;
});

test("add() puts at most maxItems into one run", async () => {
  const { runs, batcher } = createRuns(2);
  const all = Promise.all([1, 2, 3, 4].map((item) => batcher.add(item)));
  for (const index of [0, 1]) {
    await expect.poll(() => runs.length).toBe(index + 1);
    runs[index]?.done();
  }
  expect(await all).toEqual(["1", "2", "3", "4"]);
  expect(runs.map(({ items }) => items)).toEqual([
    [1, 2],
    [3, 4],
  ]);
});

test("add() rejects when its own run fails, not when an earlier one does", async () => {
  const { runs, batcher } = createRuns();
  const first = batcher.add(1);
  await expect.poll(() => runs.length).toBe(1);
  const second = batcher.add(2);
  runs[0]?.fail(new Error("no luck"));
  await expect(first).rejects.toThrow("no luck");
  await expect.poll(() => runs.length).toBe(2);
  runs[1]?.done();
  await second;
});

test("add() starts another run for an item that does not fit into maxSize", async () => {
  const runs: (readonly number[])[] = [];
  const batcher = new Batcher<number, number>({
    maxItems: 3,
    sizeOf: (item) => item,
    maxSize: 10,
    run: async (items) => {
      runs.push(items);
      return items;
    },
  });
  const items = [50, 4, 5, 3, 1, 1, 1, 1];
  expect(await Promise.all(items.map((item) => batcher.add(item)))).toEqual(items);
  expect(runs).toEqual([[50], [4, 5], [3, 1, 1], [1, 1]]);
});
