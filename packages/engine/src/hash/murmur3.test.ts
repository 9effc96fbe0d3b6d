import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BucketTable, VARIANT_SEED, bucketOf } from "./bucket.ts";
import { createHashPrefix, hash32, hashAfter } from "./murmur3.ts";

describe("hash32()", () => {
  test.each([
    ["", 0, 4002661964],
    ["a", 1009084850, 1778238603],
    ["ab", 2613040991, 1594296940],
    ["abc", 3017643002, 212112276],
    ["abcd", 1139631978, 2679851658],
    ["abcde", 3902511862, 1101984857],
    ["hello", 613153351, 3619701165],
    ["a:5", 1427763943, 2623610406],
    ["Feature.Variants.C:232", 4004105589, 2010930785],
  ])("equals the reference for %j with both seeds", (text, rollout, variant) => {
    expect(hash32(text, 0)).toBe(rollout);
    expect(hash32(text, VARIANT_SEED)).toBe(variant);
  });

  test.each([
    ["ø:1", 419750084],
    ["g:日本", 3664961357],
    ["g:😊", 3111328745],
  ])("takes the low byte of each UTF-16 unit of %j", (text, expected) => {
    expect(hash32(text, 0)).toBe(expected);
  });
});

describe("hashAfter()", () => {
  test("equals the hash of the joined text wherever the text is cut", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string(), fc.nat(), (prefix, text, seed) => {
        expect(hashAfter(createHashPrefix(prefix, seed), text)).toBe(hash32(prefix + text, seed));
      }),
    );
  });
});

describe("BucketTable", () => {
  test("puts an id into the same buckets one by one, all at once and without a table", () => {
    const group = fc.string({ unit: "binary" });
    const size = fc.oneof(fc.constantFrom(100, 1000), fc.integer({ min: 1, max: 5000 }));
    const bucketings = fc.array(fc.record({ group, size, seed: fc.nat() }));
    fc.assert(
      fc.property(bucketings, fc.string({ unit: "binary", minLength: 1 }), (list, id) => {
        const table = new BucketTable();
        for (const bucketing of list) table.add(bucketing);
        const expected = list.map((bucketing) => bucketOf(id, bucketing));
        expect(table.bucketsOf(id)).toEqual(expected);
        expect(list.map((_, position) => table.bucketOf(id, position))).toEqual(expected);
      }),
    );
  });

  test.each([null, ""])("has bucket 0 for %j, which is no id", (id) => {
    const table = new BucketTable();
    table.add({ group: "g", size: 100, seed: 0 });
    expect(table.bucketsOf(id)).toEqual([0]);
    expect(table.bucketOf(id, 0)).toBe(0);
  });
});

describe("bucketOf()", () => {
  test.each([
    ["gr1", "123", 73, 796],
    ["groupX", "999", 25, 260],
    ["", "7", 40, 849],
    ["feature.name.x", "552", 53, 696],
  ])("puts %s:%s into the reference buckets", (group, id, rollout, variant) => {
    expect(bucketOf(id, { group, size: 100, seed: 0 })).toBe(rollout);
    expect(bucketOf(id, { group, size: 1000, seed: VARIANT_SEED })).toBe(variant);
  });
});
