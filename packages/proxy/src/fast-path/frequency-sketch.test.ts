import fc from "fast-check";
import { expect, test } from "vitest";
import { FrequencySketch } from "./frequency-sketch.ts";

test("increment() never underestimates what was counted recently", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 2 }), { maxLength: 200 }), (texts) => {
      const sketch = new FrequencySketch();
      const counts = new Map<string, number>();
      for (const text of texts) {
        const count = (counts.get(text) ?? 0) + 1;
        counts.set(text, count);
        expect(sketch.increment(text)).toBeGreaterThanOrEqual(count);
        expect(sketch.estimate(text)).toBeGreaterThanOrEqual(count);
      }
    }),
  );
});

test("texts that occur once hardly ever seem to occur more often", () => {
  const sketch = new FrequencySketch();
  let overestimates = 0;
  for (let user = 0; user < 20_000; user++) {
    if (sketch.increment(`/proxy?userId=user-${user}`) > 2) overestimates += 1;
  }
  expect(overestimates).toBeLessThan(200);
});

test("old occurrences lose their weight", () => {
  const sketch = new FrequencySketch();
  for (let i = 0; i < 100; i++) sketch.increment("old");
  expect(sketch.estimate("old")).toBe(100);
  for (let i = 0; i < 5 * 32_768; i++) sketch.increment("new");
  expect(sketch.estimate("old")).toBeLessThan(10);
  expect(sketch.estimate("new")).toBeGreaterThan(100);
});
