import { describe, expect, test } from "vitest";
import { applyDelta } from "./apply-delta.ts";

const start = { features: [{ name: "a", enabled: true }, { name: "b" }], segments: [{ id: 1 }] };

describe("applyDelta()", () => {
  test("applies the events in order and leaves the old state alone", () => {
    const before = structuredClone(start);
    const after = applyDelta(start, [
      { type: "feature-updated", feature: { name: "a", enabled: false } },
      { type: "feature-updated", feature: { name: "c" } },
      { type: "feature-removed", featureName: "b" },
      { type: "segment-updated", segment: { id: 2 } },
      { type: "segment-removed", segmentId: 1 },
      { type: "from-the-future" },
    ]);
    expect(after).toEqual({
      features: [{ name: "a", enabled: false }, { name: "c" }],
      segments: [{ id: 2 }],
    });
    expect(start).toEqual(before);
  });

  test("starts anew at a hydration", () => {
    const hydration = { type: "hydration", features: [{ name: "z" }] };
    expect(applyDelta(start, [hydration])).toEqual({ features: [{ name: "z" }], segments: [] });
  });

  test.each([
    [undefined, "events must be a list: found nothing"],
    [[7], "events[0] must be an object: found a number"],
    [[{ type: "feature-updated" }], "A delta must bring objects: found nothing"],
    [[{ type: "feature-removed" }], "must name what it removes in featureName: found nothing"],
    [[{ type: "segment-removed", segmentId: null }], "must name what it removes in segmentId"],
    [[{ type: "hydration" }], "A hydration must list what it brings: found nothing"],
  ])("refuses %j", (events, message) => {
    expect(() => applyDelta(start, events)).toThrow(message);
  });
});
