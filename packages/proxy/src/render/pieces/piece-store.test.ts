import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { pieceMemory } from "./piece-memory.ts";
import { PieceStore } from "./piece-store.ts";

/** Bytes of that length that differ from those of others. */
function bytesOf(length: number, seed: number): Buffer {
  return Buffer.from(Array.from({ length }, (_, index) => (index * 7 + seed * 31) & 0xff));
}

function gathered(store: PieceStore, pieces: readonly number[], byteLength: number): Buffer {
  const target = Buffer.alloc(byteLength + 20, "#");
  expect(store.gather(pieces, target, 10)).toBe(10 + byteLength);
  expect(target.subarray(0, 10).toString()).toBe("#".repeat(10));
  expect(target.subarray(10 + byteLength).toString()).toBe("#".repeat(10));
  return target.subarray(10, 10 + byteLength);
}

/** Puts a piece in two parts. */
function put(store: PieceStore, bytes: Buffer): number {
  const middle = bytes.length >> 1;
  const parts = [{ bytes: bytes.subarray(0, middle) }, { bytes: bytes.subarray(middle) }];
  return store.put(parts, bytes.length);
}

test("pieces of any length are gathered in any order, as often as one likes", () => {
  const lengths = fc.oneof(fc.nat(300), fc.integer({ min: 4090, max: 4100 }), fc.nat(80_000));
  const picks = fc.array(fc.nat(9), { maxLength: 40 });
  fc.assert(
    fc.property(fc.array(lengths, { minLength: 10, maxLength: 10 }), picks, (list, chosen) => {
      const store = new PieceStore();
      const pieces = list.map((length, index) => bytesOf(length, index));
      const addresses = pieces.map((bytes) => put(store, bytes));
      const expected = Buffer.concat(chosen.flatMap((index) => pieces[index] ?? []));
      const picked = chosen.flatMap((index) => addresses[index] ?? []);
      expect(gathered(store, picked, expected.length).equals(expected)).toBe(true);
    }),
    { numRuns: 50 },
  );
});

test("more pieces are gathered than can be listed at once", () => {
  const store = new PieceStore();
  const pieces = Array.from({ length: 10_000 }, (_, index) => bytesOf(index % 5, index));
  const addresses = pieces.map((bytes) => put(store, bytes));
  const expected = Buffer.concat(pieces);
  expect(gathered(store, addresses, expected.length).equals(expected)).toBe(true);
});

test("the memory of a store that nobody holds serves others, and no other one's does", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const take = vi.spyOn(pieceMemory, "take");
  // No other test here needs regions of that size.
  const [first, second] = [Buffer.alloc(3_000_000, "1"), Buffer.alloc(3_000_000, "2")];
  const held = new PieceStore();
  const piece = put(held, first);
  const putElsewhere = (): unknown => {
    put(new PieceStore(), second);
    return take.mock.results.at(-1)?.value;
  };
  const region = putElsewhere();
  await vi.waitFor(() => {
    collect();
    expect(putElsewhere()).toEqual(region);
  });
  expect(gathered(held, [piece], first.length).equals(first)).toBe(true);
});
