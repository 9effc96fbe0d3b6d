import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyCharacter } from "../../../scripts/any-character.ts";
import {
  ROLLOUT_SEED,
  VARIANT_SEED,
  bucketOf,
  createHashPrefix,
  hashBlocks,
  splitIntoBlocks,
} from "./hash.ts";

// The expected values are those of the official Node SDK. If they differ, users change buckets.

/** Hashes a string after a prefix, as rollouts do. */
function hash(prefix: string, text: string, seed: number): number {
  const start = createHashPrefix(prefix, seed);
  return hashBlocks(start, splitIntoBlocks(text, start.pendingBits));
}

const hash32 = (text: string, seed: number): number => hash("", text, seed);

describe("hashBlocks() without a prefix", () => {
  test.each([
    ["", 0, 4_002_661_964],
    ["a", 1_009_084_850, 1_778_238_603],
    ["ab", 2_613_040_991, 1_594_296_940],
    ["abc", 3_017_643_002, 212_112_276],
    ["abcd", 1_139_631_978, 2_679_851_658],
    ["abcde", 3_902_511_862, 1_101_984_857],
    ["hello", 613_153_351, 3_619_701_165],
    ["a:5", 1_427_763_943, 2_623_610_406],
    ["a:0", 760_079_141, 1_421_207_907],
    ["Feature.Variants.C:232", 4_004_105_589, 2_010_930_785],
  ])("equals the official SDK for %j with both seeds", (text, withRolloutSeed, withVariantSeed) => {
    expect(hash32(text, ROLLOUT_SEED)).toBe(withRolloutSeed);
    expect(hash32(text, VARIANT_SEED)).toBe(withVariantSeed);
  });

  test.each([
    ["gr1:123", 538_421_172],
    ["groupX:999", 3_843_606_124],
    ["AB12A:122", 1_062_108_722],
    ["feature.name.x:552", 616_286_552],
    [":7", 1_535_977_339],
    ["ø:1", 419_750_084],
    ["g:日本", 3_664_961_357],
    ["g:😊", 3_111_328_745],
  ])("equals the official SDK for %j with the seed of rollouts", (text, expected) => {
    expect(hash32(text, ROLLOUT_SEED)).toBe(expected);
  });

  test("the hash is equal for é and ǩ, whose low bytes are equal", () => {
    expect(hash32("\u00E9", ROLLOUT_SEED)).toBe(hash32("\u01E9", ROLLOUT_SEED));
  });
});

describe("hashBlocks()", () => {
  test("hashBlocks() equals the hash of the concatenated string for any prefix", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: anyCharacter }),
        fc.string(),
        fc.nat(),
        (prefix, text, seed) => {
          expect(hash(prefix, text, seed)).toBe(hash32(prefix + text, seed));
        },
      ),
    );
  });
});

describe("bucketOf()", () => {
  test.each([
    ["gr1", "123", 73, 796],
    ["groupX", "999", 25, 260],
    ["AB12A", "122", 23, 613],
    ["feature.name.x", "552", 53, 696],
    ["", "7", 40, 849],
    ["a", "5", 44, 407],
    ["a", "0", 42, 908],
    ["Feature.Variants.C", "232", 90, 786],
    ["ø", "1", 85, 545],
    ["g", "日本", 58, 364],
    ["g", "😊", 46, 107],
  ])("equals the official SDK for group %j and id %j", (group, id, ofHundred, ofThousand) => {
    expect(bucketOf(id, { group, size: 100, seed: ROLLOUT_SEED })).toBe(ofHundred);
    expect(bucketOf(id, { group, size: 1000, seed: VARIANT_SEED })).toBe(ofThousand);
  });
});
