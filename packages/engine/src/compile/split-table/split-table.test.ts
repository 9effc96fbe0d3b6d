import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { VARIANT_SEED } from "../../hash/bucket.ts";
import { ContextFields } from "../../request/context-fields.ts";
import { EvaluationRequest } from "../../request/evaluation-request.ts";
import { complete } from "../../steps.ts";
import { Split, type SplitStep } from "../split.ts";
import { QuadMemory, quadMemory } from "./quad-memory.ts";
import { createQuadsModule } from "./quads-module.ts";
import { toSplitTables, type SplitFlag, type SplitTable } from "./split-table.ts";

const NO_RUNTIME = { now: () => 0, random: () => 0 };
const OTHERWISE = 99;

/** What a split is made of, but for its id. */
interface Parts {
  readonly group: string;
  readonly size: number;
  readonly lastBuckets: readonly number[];
}

function createFlags(parts: readonly Parts[], seed = VARIANT_SEED): readonly SplitFlag[] {
  const fields = new ContextFields();
  const id = fields.text("userId");
  return parts.map(({ group, size, lastBuckets }, index) => {
    const steps: SplitStep[] = lastBuckets.map((lastBucket, outcome) => ({ lastBucket, outcome }));
    const idBucket = fields.bucket(id, { group, size, seed });
    return { index, split: new Split({ idBucket, steps, otherwise: OTHERWISE }) };
  });
}

function ask(userId: string | undefined): EvaluationRequest {
  return new EvaluationRequest(userId === undefined ? {} : { userId }, NO_RUNTIME);
}

/** What is in the places of no flag. */
const UNTOUCHED = -7;

function tablesOf(flags: readonly SplitFlag[]): readonly SplitTable[] {
  return complete(toSplitTables(flags));
}

function decide(tables: readonly SplitTable[], userId?: string, memory = quadMemory()) {
  const outcomes = new Int32Array(20).fill(UNTOUCHED);
  for (const table of tables) table.decide(ask(userId), outcomes, memory);
  return [...outcomes];
}

function decideAlone(flags: readonly SplitFlag[], userId?: string) {
  const outcomes = Array.from({ length: 20 }, () => UNTOUCHED);
  for (const { index, split } of flags) outcomes[index] = split.decide(ask(userId));
  return outcomes;
}

function createMemory(maxBytes: number): QuadMemory {
  const module = createQuadsModule();
  if (module === undefined) throw new Error("no WebAssembly here");
  return new QuadMemory(module, maxBytes);
}

const parts: fc.Arbitrary<Parts> = fc.record({
  group: fc.string({ unit: "binary", maxLength: 9 }),
  size: fc.oneof(
    fc.constantFrom(1, 2, 3, 100, 1000, 2 ** 31 - 2, 2 ** 31 - 1),
    fc.integer({ min: 1, max: 2 ** 31 - 1 }),
  ),
  lastBuckets: fc.array(
    fc.oneof(
      fc.integer({ min: -9, max: 1000 }),
      fc.double({ min: -9e9, max: 9e9, noNaN: true }),
      fc.constantFrom(2 ** 31 - 1, 2 ** 31, 0.5, Number.NaN, Infinity),
    ),
    { maxLength: 4 },
  ),
});
const userIds = fc.option(fc.string({ unit: "binary", maxLength: 40 }), { nil: undefined });

describe("SplitTable", () => {
  test("decides together as each split decides alone", () => {
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 20 }), userIds, fc.nat(), (list, userId, seed) => {
        const flags = createFlags(list, seed);
        const tables = tablesOf(flags);
        const expected = decideAlone(flags, userId);
        expect(decide(tables, userId)).toEqual(expected);
        expect(decide(tables, userId, null)).toEqual(expected);
      }),
      { numRuns: 10_000 },
    );
  });

  test("decides the same in a memory that forgets what it has", () => {
    const memory = createMemory(300);
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 20 }), userIds, (list, userId) => {
        const flags = createFlags(list);
        const tables = tablesOf(flags);
        for (let time = 0; time < 3; time++) {
          expect(decide(tables, userId, memory)).toEqual(decideAlone(flags, userId));
        }
      }),
    );
  });

  test.each([
    ["an id", 2 * 1024 * 1024, "user".repeat(1_200_000), 1000],
    ["a table", 90, "7", 0],
  ])("decides one by one where %s is too long for the memory", (_, maxBytes, userId, word) => {
    const flags = createFlags([{ group: "g", size: 1000, lastBuckets: [300, 600] }]);
    const memory = createMemory(maxBytes);
    expect(decide(tablesOf(flags), userId, memory)).toEqual(decideAlone(flags, userId));
    expect(memory.words[0]).toBe(word);
  });

  test("decides the same in one memory and in another", () => {
    const tables = [1, 2].map((step) => {
      const list = { size: 1000, lastBuckets: [300 * step] };
      return tablesOf(createFlags(["g", "h", "i"].map((group) => ({ group, ...list }))));
    });
    const memories = [createMemory(300), createMemory(300)];
    const expected = tables.map((table) => decide(table, "7", null));
    for (const memory of [...memories, ...memories]) {
      expect(tables.map((table) => decide(table, "7", memory))).toEqual(expected);
      tables.reverse();
      expected.reverse();
    }
  });
});

test("quadMemory() is the one of its thread", () => {
  expect(quadMemory()).toBeInstanceOf(QuadMemory);
  expect(quadMemory()).toBe(quadMemory());
});

test("toSplitTables() pauses after every few splits", () => {
  const list = Array.from({ length: 400 }, () => ({ group: "g", size: 100, lastBuckets: [50] }));
  const pauses = [...toSplitTables(createFlags(list))].length;
  expect(pauses).toBeGreaterThanOrEqual(400 / 4);
});
