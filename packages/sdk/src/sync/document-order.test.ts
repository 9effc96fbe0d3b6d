import { describe, expect, test } from "vitest";
import { sortState, sortDocument } from "./document-order.ts";

const features = [{ name: "b" }, { name: "B" }, { name: "a" }];
const segments = [{ id: 10 }, { id: 9 }];
const sorted = {
  features: [{ name: "B" }, { name: "a" }, { name: "b" }],
  segments: [{ id: 9 }, { id: 10 }],
};

test("sortState() sorts flags by name and segments by id", () => {
  expect(sortState({ features, segments })).toEqual(sorted);
});

test("sortState() accepts ids that cannot be converted to text", () => {
  const ids = [{ id: { toString: 1 } }, { id: "a" }];
  expect(sortState({ features: [], segments: ids }).segments.length).toBe(2);
});

describe("sortDocument()", () => {
  test("sorts flags and segments, and keeps the other members", () => {
    expect(sortDocument({ version: 2, features, segments })).toEqual({
      version: 2,
      ...sorted,
    });
    expect(sortDocument({ features })).toEqual({ features: sorted.features });
  });

  test.each([[null], [7], [[]], [{}], [{ features: 7 }], [{ features: [null], segments: null }]])(
    "returns the unusable document %j unchanged",
    (document) => {
      expect(sortDocument(document)).toEqual(document);
    },
  );
});
