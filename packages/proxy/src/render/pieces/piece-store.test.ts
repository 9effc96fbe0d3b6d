import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { afterEach, expect, test, vi } from "vitest";
import { assembly } from "./assembly.ts";
import { pieceMemory } from "./piece-memory.ts";
import { PieceStore } from "./piece-store.ts";

/** Bytes of that length that differ from those of others. */
function bytesOf(length: number, seed: number): Buffer {
  return Buffer.from(Array.from({ length }, (_, index) => (index * 7 + seed * 31) & 0xff));
}

afterEach(() => void vi.restoreAllMocks());

function gathered(pieces: readonly number[], byteLength: number): Buffer {
  const region = pieceMemory.take(byteLength + 20);
  const room = pieceMemory.bytesOf(region, byteLength + 20).fill("#");
  const start = region.start + 10;
  expect(assembly.gather(new Int32Array(pieces), start)).toBe(start + byteLength);
  expect(room.subarray(0, 10).toString()).toBe("#".repeat(10));
  expect(room.subarray(10 + byteLength).toString()).toBe("#".repeat(10));
  const bytes = Buffer.from(room.subarray(10, 10 + byteLength));
  pieceMemory.giveBack(region);
  return bytes;
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
      expect(gathered(picked, expected.length).equals(expected)).toBe(true);
    }),
    { numRuns: 50 },
  );
});

test("a list of pieces may be longer than any before", () => {
  const store = new PieceStore();
  const pieces = Array.from({ length: 20_000 }, (_, index) => bytesOf(index % 5, index));
  const addresses = pieces.map((bytes) => put(store, bytes));
  const expected = Buffer.concat(pieces);
  expect(gathered(addresses, expected.length).equals(expected)).toBe(true);
});

test("short pieces are gathered from the very end of the memory too", () => {
  // More than are looked ahead.
  const count = 20;
  const room = pieceMemory.take(1);
  const regions = Array.from({ length: 600 }, () => {
    const region = pieceMemory.take(1);
    const piece = pieceMemory.put([{ bytes: Buffer.from("a") }], 1, region.end - 8);
    const list = new Int32Array(count).fill(piece);
    expect(assembly.gather(list, room.start)).toBe(room.start + count);
    return region;
  });
  for (const region of [room, ...regions]) pieceMemory.giveBack(region);
});

test("rooms stay what they are when the memory grows", () => {
  const room = pieceMemory.bytesOf(pieceMemory.take(10), 10).fill("a");
  const before = pieceMemory.words.length;
  pieceMemory.take(pieceMemory.words.byteLength);
  expect(pieceMemory.words.length).toBeGreaterThan(before);
  const address = put(new PieceStore(), Buffer.from("0123456789"));
  expect(assembly.gather(Int32Array.of(address), room.byteOffset)).toBe(room.byteOffset + 10);
  expect(room.toString()).toBe("0123456789");
});

test("pieces are gathered beyond 2 GB as well", () => {
  const store = new PieceStore();
  const address = put(store, Buffer.from("near"));
  const large = pieceMemory.take(2 ** 31);
  const far = new PieceStore();
  const farAddress = put(far, Buffer.from("far"));
  expect(gathered([address, farAddress], 7).toString()).toBe("nearfar");
  const room = pieceMemory.take(2 ** 20);
  expect(room.start).toBeGreaterThan(2 ** 31);
  expect(assembly.gather(Int32Array.of(farAddress, address), room.start)).toBe(room.start + 7);
  expect(pieceMemory.bytesOf(room, 7).toString()).toBe("farnear");
  pieceMemory.giveBack(large);
});

test("a list that finds no room leaves the place of the one before as it was", () => {
  const giveBack = vi.spyOn(pieceMemory, "giveBack");
  vi.spyOn(pieceMemory, "take").mockImplementationOnce(() => {
    throw new RangeError("no more memory");
  });
  expect(() => assembly.gather(new Int32Array(1_000_000), 4096)).toThrow("no more memory");
  expect(giveBack).not.toHaveBeenCalled();
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
  expect(gathered([piece], first.length).equals(first)).toBe(true);
});
