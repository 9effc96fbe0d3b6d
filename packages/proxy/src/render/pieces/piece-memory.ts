import { type Part, writeParts } from "../fragment.ts";
import { createPiecesModule, type PiecesModule } from "./pieces-module.ts";
import { type Region, Regions } from "./regions.ts";

const PAGE_BYTES = 64 * 1024;
export const WORD_BYTES = 4;

/** The memory grows by so much or more, since each time the views of all of it are made anew. */
const MIN_GROWTH_PAGES = 16;

/** The memory reaches so much further than what is taken of it: gathering looks beyond short pieces. */
const MARGIN_BYTES = 256;

/** An address where no piece can be. What is there is a length of 0. */
export const NOWHERE = 0;
const NOWHERE_BYTES = 4096;

/**
 * The memory in which the pieces of answers lie, and in which WebAssembly works with them, since they
 * are short and many (docs/decisions/0016-pieces-gathered-by-webassembly.md). The address of a piece
 * is in words of 4 bytes. The word there is its length, and its bytes follow.
 */
class PieceMemory {
  readonly module: PiecesModule = createPiecesModule();
  readonly #regions = new Regions(NOWHERE_BYTES, (end) => this.#reach(end));
  readonly #owners = new FinalizationRegistry<readonly Region[]>((regions) => {
    for (const region of regions) this.giveBack(region);
  });
  #buffer: SharedArrayBuffer;
  #bytes: Uint8Array;
  #words: Int32Array;

  constructor() {
    this.#buffer = this.module.memory.buffer;
    this.#bytes = new Uint8Array(this.#buffer);
    this.#words = new Int32Array(this.#buffer);
  }

  /** A part of the memory, with so many bytes or more, and whatever is in it. */
  take(byteLength: number): Region {
    return this.#regions.take(byteLength);
  }

  giveBack(region: Region): void {
    this.#regions.giveBack(region);
  }

  /** Takes regions back when nobody holds their owner any longer. */
  giveBackAfter(owner: object, regions: readonly Region[]): void {
    this.#owners.register(owner, regions);
  }

  /** All of it, in words; another view whenever the memory has grown. */
  get words(): Int32Array {
    return this.#words;
  }

  /** So many words of a region. */
  wordsOf({ start }: Region, length: number): Int32Array {
    return new Int32Array(this.#buffer, start, length);
  }

  /** So many bytes of a region. */
  bytesOf({ start }: Region, byteLength: number): Buffer {
    return Buffer.from(this.#buffer, start, byteLength);
  }

  /** Writes the parts of a piece where a region has sizeOf() bytes for it, and returns its address. */
  put(parts: readonly Part[], byteLength: number, start: number): number {
    const piece = start / WORD_BYTES;
    this.#words[piece] = byteLength;
    writeParts(parts, this.#bytes, start + WORD_BYTES);
    return piece;
  }

  #reach(end: number): void {
    const { memory } = this.module;
    const missing = Math.ceil((end + MARGIN_BYTES - this.#buffer.byteLength) / PAGE_BYTES);
    if (missing <= 0) return;
    memory.grow(Math.max(missing, MIN_GROWTH_PAGES));
    this.#buffer = memory.buffer;
    this.#bytes = new Uint8Array(this.#buffer);
    this.#words = new Int32Array(this.#buffer);
  }
}

/** How many bytes of memory a piece of so many bytes takes up. */
export function sizeOf(byteLength: number): number {
  return (1 + Math.ceil(byteLength / WORD_BYTES)) * WORD_BYTES;
}

/** One for the process: each memory takes up 10 GB of addresses, though of memory only what is used. */
export const pieceMemory: PieceMemory = new PieceMemory();
