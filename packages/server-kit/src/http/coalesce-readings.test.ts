import { expect, test } from "vitest";
import { coalesceReadings } from "./coalesce-readings.ts";

/** Counts readings, each of which waits until `finish` is called. */
function createReader() {
  let readings = 0;
  let finish: (text: string) => void = () => undefined;
  let fail: (error: Error) => void = () => undefined;
  const read = (): Promise<string> => {
    readings += 1;
    return new Promise((resolve, reject) => {
      finish = resolve;
      fail = reject;
    });
  };
  return {
    read,
    readings: () => readings,
    finish: (text: string) => finish(text),
    fail: (error: Error) => fail(error),
  };
}

const LONG = "x".repeat(600_000);

test("concurrent requests for metrics share one reading, and later ones get a new one", async () => {
  const { read, readings, finish } = createReader();
  const shared = coalesceReadings(read);
  const requests = [shared(), shared()];
  finish("1");
  expect(await Promise.all(requests)).toEqual(["1", "1"]);
  expect(readings()).toBe(1);
  const later = shared();
  finish("2");
  expect(await later).toBe("2");
});

test("long metrics are read once in five seconds, however often they are requested", async () => {
  const { read, readings, finish } = createReader();
  let nowMs = 0;
  const shared = coalesceReadings(read, () => nowMs);
  const first = shared();
  finish(LONG);
  await first;
  nowMs = 4999;
  expect(await shared()).toBe(LONG);
  expect(readings()).toBe(1);
  nowMs = 5001;
  const later = shared();
  finish("2");
  expect(await later).toBe("2");
});

test("metrics are read again after a failure", async () => {
  const { read, finish, fail } = createReader();
  const shared = coalesceReadings(read);
  const failing = shared();
  fail(new Error("No memory left"));
  await expect(failing).rejects.toThrow("No memory left");
  const later = shared();
  finish("1");
  expect(await later).toBe("1");
});
