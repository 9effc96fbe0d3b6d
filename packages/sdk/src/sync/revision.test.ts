import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { revisionOf } from "./revision.ts";

const revision = (features: readonly unknown[], segments: readonly unknown[] = []): string =>
  revisionOf({ version: 2, features, segments });

describe("revisionOf()", () => {
  it("is 16 hexadecimal digits", () => {
    expect(revision([{ name: "a" }])).toMatch(/^[0-9a-f]{16}$/);
  });

  it("does not depend on the order of keys or on the version", () => {
    const feature = { name: "a", enabled: true, strategies: [{ name: "x", parameters: {} }] };
    const shuffled = { strategies: [{ parameters: {}, name: "x" }], enabled: true, name: "a" };
    expect(revision([feature])).toBe(revision([shuffled]));
    expect(revisionOf({ version: 1, features: [feature], segments: [] })).toBe(revision([feature]));
  });

  it("depends on the order of lists, on values, on segments and on keys like __proto__", () => {
    const documents = [
      revision([{ name: "a" }, { name: "b" }]),
      revision([{ name: "b" }, { name: "a" }]),
      revision([{ name: "a" }, { name: "b", enabled: false }]),
      revision([{ name: "a" }, { name: "b" }], [{ id: 1 }]),
      revision([{ name: "a" }, JSON.parse('{"name":"b","__proto__":1}')]),
    ];
    expect(new Set(documents).size).toBe(documents.length);
  });

  it("is the same after a round trip through JSON", () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), (features) => {
        expect(revision(JSON.parse(JSON.stringify(features)) as unknown[])).toBe(
          revision(features),
        );
      }),
    );
  });
});
