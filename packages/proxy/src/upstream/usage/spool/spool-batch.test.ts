import { expect, it } from "vitest";
import { SpoolBatch } from "./spool-batch.ts";

it("a caller that waits for a slow disk stops waiting, and gets the result later", async () => {
  const batch = new SpoolBatch(5);
  batch.add(["line\n"], 1);
  await batch.awaited;
  expect(batch.isLate).toBe(true);
  batch.end(true);
  expect(await batch.done).toBe(true);
});

it("a caller gets the result if the disk responds in time", async () => {
  const batch = new SpoolBatch(60_000);
  batch.add(["ä\n", "b\n"], 2);
  expect([batch.text, batch.bytes, batch.records]).toEqual(["ä\nb\n", 5, 2]);
  batch.end(false);
  await batch.awaited;
  expect(batch.isLate).toBe(false);
  expect(await batch.done).toBe(false);
});
