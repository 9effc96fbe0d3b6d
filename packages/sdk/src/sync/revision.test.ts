import fc from "fast-check";
import { runToEnd } from "flags-engine";
import { describe, expect, it } from "vitest";
import { Revisions } from "./revision.ts";

const revision = (
  features: readonly unknown[],
  { segments = [], version = 2 }: { segments?: readonly unknown[]; version?: number } = {},
): string => runToEnd(new Revisions().of({ version, features, segments }));

const anyFeatures = fc.array(
  fc.dictionary(fc.string(), fc.jsonValue()).map((members) => ({ ...members, name: "a" })),
);

describe("Revisions", () => {
  it("of() returns 16 hexadecimal digits", () => {
    expect(revision([{ name: "a" }])).toMatch(/^[0-9a-f]{16}$/);
  });

  it("of() does not depend on the version", () => {
    expect(revision([{ name: "a" }], { version: 1 })).toBe(revision([{ name: "a" }]));
  });

  it("of() differs for different content", () => {
    fc.assert(
      fc.property(anyFeatures, anyFeatures, (some, others) => {
        expect(revision(some) === revision(others)).toBe(
          JSON.stringify(some) === JSON.stringify(others),
        );
      }),
    );
  });

  it("of() differs if a text contains what would follow it", () => {
    expect(revision([{ name: "a", x: "1", y: "2" }])).not.toBe(
      revision([{ name: "a", x: '1"y"2' }]),
    );
  });

  it("of() differs for a flag and an equal segment", () => {
    const entry = { name: "a", id: 1 };
    expect(revision([entry])).not.toBe(revision([], { segments: [entry] }));
  });

  it("of() depends on the order of lists, on the kind of entry, and on keys like __proto__", () => {
    const features = [
      [{ name: "a" }, { name: "b" }],
      [{ name: "b" }, { name: "a" }],
      [{ name: "a" }, JSON.parse('{"name":"b","__proto__":1}')],
      [{ name: "a", list: [1, 2] }],
      [{ name: "a", list: [2, 1] }],
      [{ name: "a", list: ["1", 2] }],
      [{ name: "a", list: [[1], 2] }],
      [{ name: "a", half: "\ud800" }],
      [{ name: "a", half: "\udbff" }],
      [{ name: "a", empty: {} }],
      [{ name: "a", empty: [] }],
      [{ name: "a", empty: null }],
      [{ name: "a", empty: "" }],
    ];
    const revisions = features.map((one) => revision(one));
    const segment = revision([{ name: "a" }], { segments: [{ name: "b" }] });
    expect(new Set([...revisions, segment]).size).toBe(features.length + 1);
  });

  it("of() returns the same after a round trip through JSON", () => {
    fc.assert(
      fc.property(anyFeatures, (features) => {
        const copy = JSON.parse(JSON.stringify(features)) as unknown[];
        expect(revision(copy)).toBe(revision(features));
      }),
    );
  });

  it("reuse() reuses the objects with equal content, in the new order", () => {
    const revisions = new Revisions();
    const [a, b] = [{ name: "a" }, { name: "b", enabled: true }];
    const previous = { version: 1, features: [a, b], segments: [{ id: 1 }] };
    const fresh = {
      version: 2,
      features: [{ name: "b", enabled: true }, { name: "a", enabled: false }, { name: "c" }],
      segments: [{ id: 2 }, { id: 1 }],
    };
    const reused = runToEnd(revisions.reuse(fresh, previous));
    expect(reused).toEqual(fresh);
    expect(reused.features[0]).toBe(b);
    expect(reused.segments[1]).toBe(previous.segments[0]);
    expect(runToEnd(revisions.of(reused))).toBe(runToEnd(revisions.of(fresh)));
  });

  it("of() does not hash an object of an earlier document again", () => {
    const revisions = new Revisions();
    let reads = 0;
    const known = {
      get name(): string {
        reads += 1;
        return "a";
      },
    };
    const of = (features: readonly unknown[]): string =>
      runToEnd(revisions.of({ version: 2, features, segments: [] }));
    const first = of([known]);
    expect(of([known, { name: "b" }])).toBe(revision([{ name: "a" }, { name: "b" }]));
    expect(of([known])).toBe(first);
    expect(reads).toBe(1);
  });
});
