import { expect, test, describe } from "vitest";
import { applyDelta, parseEventId } from "./delta.ts";

test.each([
  ["7", 7],
  ['"7"', 7],
  ['W/"7"', 7],
  [' w/"7" ', 7],
  ["999999999999999", 999_999_999_999_999],
  ["1000000000000000", undefined],
  ['"7", "8"', undefined],
  ["-1", undefined],
  ["1.5", undefined],
  ["*", undefined],
  ["", undefined],
  [undefined, undefined],
])("parseEventId() parses %j as %j", (text, id) => {
  expect(parseEventId(text)).toBe(id);
});

const start = { features: [{ name: "a", enabled: true }, { name: "b" }], segments: [{ id: 1 }] };

describe("applyDelta()", () => {
  test("applies the events in order and leaves the given state unchanged", () => {
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

  test("replaces everything on a hydration", () => {
    const hydration = { type: "hydration", features: [{ name: "z" }] };
    expect(applyDelta(start, [hydration])).toEqual({ features: [{ name: "z" }], segments: [] });
  });

  test.each([
    [undefined, "events must be a list: found nothing"],
    [[7], "events[0] must be an object: found a number"],
    [
      [{ type: "feature-updated" }],
      "A flag or segment of a delta must be an object: found nothing",
    ],
    [[{ type: "feature-removed" }], "A removal must have a featureName: found nothing"],
    [[{ type: "segment-removed", segmentId: null }], "A removal must have a segmentId: found null"],
    [[{ type: "hydration" }], "features must be a list: found nothing"],
  ])("rejects %j", (events, message) => {
    expect(() => applyDelta(start, events)).toThrow(message);
  });
});
