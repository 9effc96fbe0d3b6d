import { expect, test } from "vitest";
import { RestartDelay } from "./restart-delay.ts";

test("nextMs() doubles, up to half a minute, while workers end as soon as they run", () => {
  const delay = new RestartDelay();
  const waits = Array.from({ length: 9 }, () => delay.nextMs(100));
  expect(waits).toEqual([0, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
});

test("nextMs() begins anew after a worker that ran for ten seconds", () => {
  const delay = new RestartDelay();
  const waits = [100, 100, 100, 10_000, 100, 100].map((ranForMs) => delay.nextMs(ranForMs));
  expect(waits).toEqual([0, 1000, 2000, 0, 0, 1000]);
});
