import { describe, expect, test } from "vitest";
import { toNameOrder, toOrderedDocument } from "./name-order.ts";

const features = [{ name: "b" }, { name: "B" }, { name: "a" }];
const segments = [{ id: 10 }, { id: 9 }];
const ordered = {
  features: [{ name: "B" }, { name: "a" }, { name: "b" }],
  segments: [{ id: 9 }, { id: 10 }],
};

test("toNameOrder() orders flags by name and segments by id", () => {
  expect(toNameOrder({ features, segments })).toEqual(ordered);
});

describe("toOrderedDocument()", () => {
  test("orders a document and keeps the rest of it", () => {
    expect(toOrderedDocument({ version: 2, features, segments })).toEqual({
      version: 2,
      ...ordered,
    });
    expect(toOrderedDocument({ features })).toEqual({ features: ordered.features });
  });

  test.each([[null], [7], [[]], [{}], [{ features: 7 }], [{ features: [null], segments: null }]])(
    "leaves %j to those who refuse it",
    (document) => {
      expect(toOrderedDocument(document)).toEqual(document);
    },
  );
});
