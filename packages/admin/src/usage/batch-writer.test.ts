import { expect, test } from "vitest";
import { BatchWriter } from "./batch-writer.ts";

function createWrites(maxItems = 100) {
  const writes: { items: readonly number[]; done(): void; fail(error: Error): void }[] = [];
  const writer = new BatchWriter<number>({
    maxItems,
    write: (items) =>
      new Promise((done, fail) => {
        writes.push({ items, done, fail });
      }),
  });
  return { writes, writer };
}

test("add() writes at once when nothing is being written", () => {
  const { writes, writer } = createWrites();
  void writer.add(1);
  expect(writes.map(({ items }) => items)).toEqual([[1]]);
});

test("add() writes what comes in meanwhile together, and resolves after that", async () => {
  const { writes, writer } = createWrites();
  const first = writer.add(1);
  const others = [writer.add(2), writer.add(3)];
  expect(writes).toHaveLength(1);
  writes[0]?.done();
  await first;
  await expect.poll(() => writes.map(({ items }) => items)).toEqual([[1], [2, 3]]);
  let isDone = false;
  const all = Promise.all(others).then(() => {
    isDone = true;
  });
  await new Promise(setImmediate);
  expect(isDone).toBe(false);
  writes[1]?.done();
  await all;
});

test("add() writes no more at a time than it may", async () => {
  const { writes, writer } = createWrites(2);
  const all = Promise.all([1, 2, 3, 4].map((item) => writer.add(item)));
  for (const index of [0, 1, 2]) {
    await expect.poll(() => writes.length).toBe(index + 1);
    writes[index]?.done();
  }
  await all;
  expect(writes.map(({ items }) => items)).toEqual([[1], [2, 3], [4]]);
});

test("add() fails with the write it was part of, and the next write is none of that", async () => {
  const { writes, writer } = createWrites();
  const first = writer.add(1);
  const second = writer.add(2);
  writes[0]?.fail(new Error("no luck"));
  await expect(first).rejects.toThrow("no luck");
  await expect.poll(() => writes.length).toBe(2);
  writes[1]?.done();
  await second;
});
