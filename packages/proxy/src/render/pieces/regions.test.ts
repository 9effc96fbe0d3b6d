import fc from "fast-check";
import { expect, test } from "vitest";
import { type Region, Regions } from "./regions.ts";

const START = 65_536;

function createRegions() {
  const memory = { end: START };
  const regions = new Regions(START, (end) => (memory.end = Math.max(memory.end, end)));
  return { memory, regions };
}

test("regions that are taken are large enough, within the memory, and apart", () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 3_000_000 }), { maxLength: 30 });
  fc.assert(
    fc.property(sizes, fc.func(fc.boolean()), (byteLengths, isGivenBack) => {
      const { memory, regions } = createRegions();
      const taken = new Set<Region>();
      for (const byteLength of byteLengths) {
        const region = regions.take(byteLength);
        expect(region.end - region.start).toBeGreaterThanOrEqual(byteLength);
        expect(region.start).toBeGreaterThanOrEqual(START);
        expect(region.end).toBeLessThanOrEqual(memory.end);
        for (const { start, end } of taken) {
          expect(region.start >= end || region.end <= start).toBe(true);
        }
        taken.add(region);
        if (isGivenBack(byteLength)) {
          regions.giveBack(region);
          taken.delete(region);
        }
      }
    }),
  );
});

test("what was given back is taken again before the memory grows", () => {
  const { memory, regions } = createRegions();
  const given = [regions.take(100_000), regions.take(100_000), regions.take(5000)];
  const { end } = memory;
  for (const region of given) regions.giveBack(region);
  const again = [regions.take(5000), regions.take(70_000), regions.take(131_072)];
  expect(again.toSorted((a, b) => a.start - b.start)).toEqual(given);
  expect(memory.end).toBe(end);
});
