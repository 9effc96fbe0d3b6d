import type { HashBlocks } from "../../hash/murmur3.ts";
import { createQuadsModule, type QuadsModule } from "./quads-module.ts";
import type { Quads } from "./quads.ts";

const WORD_BYTES = 4;

/** What is where in the blocks of an id, in words. */
const FIRST = 0;
const TAIL = 1;
const LENGTH = 2;
const HAS_MORE = 3;
const WHOLE = 4;

/**
 * The memory in which WebAssembly decides splits. This is a hot path. Quads are copied there when they
 * are needed first, one behind the other. When there is no room for more, all of them are forgotten,
 * and copied again when they are needed again: so nobody has to say which ones are out of use.
 */
export class QuadMemory {
  /** All of it. */
  readonly words: Int32Array;
  readonly #module: QuadsModule;
  readonly #maxEnd: number;
  /** Another one whenever all quads are forgotten. */
  #generation = {};
  #end = 0;

  /** @param maxBytes how much all quads may take up; the rest is for ids and outcomes */
  constructor(module: QuadsModule, maxBytes: number) {
    this.#module = module;
    this.#maxEnd = maxBytes / WORD_BYTES;
    this.words = new Int32Array(module.memory.buffer);
  }

  /**
   * Decides splits for an id. Their outcomes are in the memory until the next call, in the order of the
   * lanes, the first of them at the word that is returned. Undefined if there is no room for so much.
   */
  decide(quads: Quads, blocks: HashBlocks): number | undefined {
    const isThere = quads.generation === this.#generation || this.#place(quads);
    const outcomes = this.#end;
    const id = outcomes + quads.laneCount;
    const idEnd = id + WHOLE + blocks.whole.length;
    if (!isThere || idEnd > this.words.length) return undefined;
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

  /** Copies quads, if there is room for them. */
  #place(quads: Quads): boolean {
    const { length } = quads.words;
    if (length > this.#maxEnd) return false;
    if (this.#end + length > this.#maxEnd) {
      this.#generation = {};
      this.#end = 0;
    }
    this.words.set(quads.words, this.#end);
    quads.start = this.#end;
    quads.generation = this.#generation;
    this.#end += length;
    return true;
  }

  #write(blocks: HashBlocks, start: number): void {
    const { words } = this;
    words[start + FIRST] = blocks.first;
    words[start + TAIL] = blocks.tail;
    words[start + LENGTH] = blocks.length;
    words[start + HAS_MORE] = Number(blocks.completesFirst);
    const { whole } = blocks;
    for (let i = 0; i < whole.length; i++) words[start + WHOLE + i] = whole[i] ?? 0;
  }
}

/** Half of the memory. */
const MAX_BYTES = 2 * 1024 * 1024;

let ofThisThread: QuadMemory | null | undefined;

/** The one of this thread, made when somebody asks for it; null where there can be none. */
export function quadMemory(): QuadMemory | null {
  if (ofThisThread === undefined) {
    const module = createQuadsModule();
    ofThisThread = module === undefined ? null : new QuadMemory(module, MAX_BYTES);
  }
  return ofThisThread;
}
