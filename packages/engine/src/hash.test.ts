import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { VARIANT_SEED, bucketOf } from "./hash/bucket.ts";
import { createHashPrefix, hash32, hashAfter } from "./hash.ts";

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
