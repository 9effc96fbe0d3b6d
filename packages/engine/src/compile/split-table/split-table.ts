import type { HashBlocks } from "../../hash/murmur3.ts";
import type { EvaluationRequest, Slot } from "../../request/evaluation-request.ts";
import type { Steps } from "../../steps.ts";
import type { Split } from "../split.ts";
import type { QuadMemory } from "./quad-memory.ts";
import { LANES, layOut, type Quads } from "./quads.ts";

/** An id, cut as the prefixes of a table want it. */
type Blocks = Slot<HashBlocks | null>;

/** A flag that is a split. */
export interface SplitFlag {
  readonly index: number;
  readonly split: Split;
}

interface SplitTableParts {
  readonly blocks: Blocks;
  readonly flags: readonly SplitFlag[];
  /** One of the flags for every lane of the quads. */
  readonly lanes: readonly SplitFlag[];
  readonly quads: Quads;
}

/**
 * Flags that are splits by the same id. This is a hot path, and most of what context-dependent flags
 * cost: WebAssembly goes through numbers in a row, four flags at a time, and does not branch on what is
 * as good as random (docs/decisions/0017-splits-decided-by-webassembly.md).
 */
export class SplitTable {
  readonly #blocks: Blocks;
  readonly #flags: readonly SplitFlag[];
  readonly #quads: Quads;
  readonly #indexes: Int32Array;

  constructor({ blocks, flags, lanes, quads }: SplitTableParts) {
    this.#blocks = blocks;
    this.#flags = flags;
    this.#quads = quads;
    this.#indexes = new Int32Array(lanes.map(({ index }) => index));
  }

  /**
   * Writes the outcomes of all its flags to their places.
   *
   * @param memory null decides flag by flag
   */
  decide(request: EvaluationRequest, outcomes: Int32Array, memory: QuadMemory | null): void {
    const blocks = request.read(this.#blocks);
    const start = blocks === null ? undefined : memory?.decide(this.#quads, blocks);
    if (memory === null || start === undefined) {
      for (const { index, split } of this.#flags) outcomes[index] = split.decide(request);
    } else {
      this.#spread(memory.words, start, outcomes);
    }
  }

  /** Puts what was decided in each lane to the place of its flag. */
  #spread(decided: Int32Array, start: number, outcomes: Int32Array): void {
    const indexes = this.#indexes;
    // NOTE: `| 0` promises a whole number of 32 bits, which V8 would else make sure of at each flag.
    for (let lane = 0; lane < indexes.length; lane = (lane + 1) | 0) {
      outcomes[indexes[lane] ?? 0] = decided[(start + lane) | 0] ?? 0;
    }
  }
}

/** Lays out splits, those by the same id in the same table, with a pause after every few of them. */
export function* toSplitTables(flags: Iterable<SplitFlag>): Steps<readonly SplitTable[]> {
  const tables: SplitTable[] = [];
  for (const [blocks, group] of groupById(flags)) {
    const lanes = fillLanes(group);
    yield;
    const quads = yield* layOut(lanes.map(({ split }) => split));
    tables.push(new SplitTable({ blocks, flags: group, lanes, quads }));
  }
  return tables;
}

function groupById(flags: Iterable<SplitFlag>): ReadonlyMap<Blocks, readonly SplitFlag[]> {
  const groups = new Map<Blocks, SplitFlag[]>();
  for (const flag of flags) {
    const { blocks } = flag.split.idBucket;
    const group = groups.get(blocks);
    if (group === undefined) groups.set(blocks, [flag]);
    else group.push(flag);
  }
  return groups;
}

/**
 * The flag for each lane of quads, of which all in one have the same number of buckets, and as many
 * steps if possible. Where there are too few of them, the last one is there more than once.
 */
function fillLanes(flags: readonly SplitFlag[]): readonly SplitFlag[] {
  const inOrder = flags.toSorted(
    (one, other) =>
      sizeOf(one) - sizeOf(other) || one.split.steps.length - other.split.steps.length,
  );
  const lanes: SplitFlag[] = [];
  for (const [position, flag] of inOrder.entries()) {
    lanes.push(flag);
    const next = inOrder[position + 1];
    if (next !== undefined && sizeOf(next) === sizeOf(flag)) continue;
    while (lanes.length % LANES !== 0) lanes.push(flag);
  }
  return lanes;
}

function sizeOf({ split }: SplitFlag): number {
  return split.idBucket.size;
}
