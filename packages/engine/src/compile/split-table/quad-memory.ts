import type { HashBlocks } from "../../hash/murmur3.ts";
import { createQuadsModule, type QuadsModule } from "./quads-module.ts";

const WORD_BYTES = 4;
const PAGE_BYTES = 64 * 1024;

/** What is where in the blocks of an id, in words. */
const FIRST = 0;
const TAIL = 1;
const LENGTH = 2;
const HAS_MORE = 3;
const WHOLE = 4;

/** The quads of a table, of which a memory has a copy, or gets one when it needs it. */
export class Quads {
  readonly words: Int32Array;
  readonly laneCount: number;
  /** Where the copy is, in words. It is there as long as the memory is of this generation. */
  start = 0;
  generation = -1;

  constructor(words: Int32Array, laneCount: number) {
    this.words = words;
    this.laneCount = laneCount;
  }
}

/**
 * The memory in which WebAssembly decides splits. This is a hot path. Quads are copied there when they
 * are needed first, one behind the other. When there are too many, all of them are forgotten, and
 * copied again when they are needed again: so nobody has to say which ones are out of use.
 */
export class QuadMemory {
  readonly #module: QuadsModule;
  readonly #maxWords: number;
  #words: Int32Array;
  #generation = 0;
  #end = 0;

  /** @param maxBytes how much all quads may take up, unless those of one table alone do */
  constructor(module: QuadsModule, maxBytes: number) {
    this.#module = module;
    this.#maxWords = maxBytes / WORD_BYTES;
    this.#words = new Int32Array(module.memory.buffer);
  }

  /** All of it; another view whenever the memory has grown. */
  get words(): Int32Array {
    return this.#words;
  }

  /**
   * Decides splits for an id. Their outcomes are in the memory until the next call, in the order of the
   * lanes, the first of them at the word that is returned.
   */
  decide(quads: Quads, blocks: HashBlocks): number {
    if (quads.generation !== this.#generation) this.#place(quads);
    const outcomes = this.#end;
    const id = outcomes + quads.laneCount;
    const idEnd = id + WHOLE + blocks.whole.length;
    this.#reach(idEnd);
    this.#write(blocks, id);
    this.#module.decide(
      quads.start * WORD_BYTES,
      (quads.start + quads.words.length) * WORD_BYTES,
      id * WORD_BYTES,
      idEnd * WORD_BYTES,
      outcomes * WORD_BYTES,
    );
    return outcomes;
  }

  #place(quads: Quads): void {
    const { length } = quads.words;
    if (this.#end + length > this.#maxWords) {
      this.#generation++;
      this.#end = 0;
    }
    this.#reach(this.#end + length);
    this.#words.set(quads.words, this.#end);
    quads.start = this.#end;
    quads.generation = this.#generation;
    this.#end += length;
  }

  #write(blocks: HashBlocks, start: number): void {
    const words = this.#words;
    words[start + FIRST] = blocks.first;
    words[start + TAIL] = blocks.tail;
    words[start + LENGTH] = blocks.length;
    words[start + HAS_MORE] = Number(blocks.completesFirst);
    const { whole } = blocks;
    for (let i = 0; i < whole.length; i++) words[start + WHOLE + i] = whole[i] ?? 0;
  }

  #reach(end: number): void {
    const missingBytes = (end - this.#words.length) * WORD_BYTES;
    if (missingBytes <= 0) return;
    const { memory } = this.#module;
    memory.grow(Math.ceil(missingBytes / PAGE_BYTES));
    this.#words = new Int32Array(memory.buffer);
  }
}

const MAX_BYTES = 2 * 1024 * 1024;

let shared: QuadMemory | null | undefined;

/**
 * The one of this thread, made when somebody asks for it; null where there can be none. Each takes up
 * 10 GB of addresses, though of memory only what is used.
 */
export function quadMemory(): QuadMemory | null {
  if (shared === undefined) {
    const module = createQuadsModule();
    shared = module === undefined ? null : new QuadMemory(module, MAX_BYTES);
  }
  return shared;
}
