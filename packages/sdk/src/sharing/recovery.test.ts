import { expect, test } from "vitest";
import { Recovery } from "./recovery.ts";

test("lasts longer after each failure, up to 16 times the first time, and until a success", () => {
  let nowMs = 0;
  const recovery = new Recovery(100, () => nowMs);
  expect(recovery.isOver).toBe(true);
  const durations = Array.from({ length: 7 }, () => {
    const startMs = nowMs;
    recovery.failed();
    while (!recovery.isOver) {
      nowMs += 100;
      // While it lasts, the same failure is reported again.
      if (!recovery.isOver) recovery.failed();
      nowMs += 1;
    }
    return Math.round((nowMs - startMs) / 100);
  });
  expect(durations).toEqual([1, 2, 4, 8, 16, 16, 16]);
  recovery.failed();
  recovery.succeeded();
  expect(recovery.isOver).toBe(true);
});
