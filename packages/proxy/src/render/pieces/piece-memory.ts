import { type Part, writeParts } from "../fragment.ts";
import { createGatherer, type Gatherer } from "./gather-module.ts";
import { type Region, Regions } from "./regions.ts";

const PAGE_BYTES = 64 * 1024;
const WORD_BYTES = 4;

/** The memory grows by so much or more, since each time all views of it are made anew. */
const MIN_GROWTH_PAGES = 16;

/** The first page is for gathering: a list of addresses, and behind it room to copy pieces to. */
const MAX_LISTED = 4096;
const ROOM = MAX_LISTED * WORD_BYTES;
const ROOM_BYTES = PAGE_BYTES - ROOM;

/** Longer pieces are few, and not worth being copied twice. */
const MAX_GATHERED_BYTES = 4096;

/** An address where no piece can be. */
export const NOWHERE = 0;

/**
 * A hot path: the memory in which the pieces of answers lie, and in which WebAssembly puts them
 * together, since pieces are short and many (docs/decisions/0016-pieces-gathered-by-webassembly.md).
 * The address of a piece is in words of 4 bytes. The word there is its length, and its bytes follow.
 */
class PieceMemory {
  readonly #gatherer: Gatherer;
  readonly #regions = new Regions(PAGE_BYTES, (end) => this.#reach(end));
  readonly #owners = new FinalizationRegistry<readonly Region[]>((regions) => {
    for (const region of regions) this.#regions.giveBack(region);
  });
  #bytes: Uint8Array;
  #words: Int32Array;

  constructor() {
    this.#gatherer = createGatherer();
    const { buffer } = this.#gatherer.memory;
    this.#bytes = new Uint8Array(buffer);
    this.#words = new Int32Array(buffer);
  }

  /** A part of the memory, with so many bytes or more. */
  take(byteLength: number): Region {
    return this.#regions.take(byteLength);
  }

  /** Takes regions back when nobody holds their owner any longer. */
  giveBackAfter(owner: object, regions: readonly Region[]): void {
    this.#owners.register(owner, regions);
  }

  /** Writes the parts of a piece where a region has sizeOf() bytes for it, and returns its address. */
  put(parts: readonly Part[], byteLength: number, start: number): number {
    const piece = start / WORD_BYTES;
    this.#words[piece] = byteLength;
    writeParts(parts, this.#bytes, start + WORD_BYTES);
    return piece;
  }

  /** Copies the bytes of pieces one behind the other, and returns where they end. */
  gather(pieces: readonly number[], target: Uint8Array, start: number): number {
    let end = start;
    let next = 0;
    while (next < pieces.length) {
      const first = next;
      next = this.#list(pieces, first);
      if (next > first) end = this.#copyListed(next - first, target, end);
      else end = this.#copy(pieces[next++] ?? NOWHERE, target, end);
    }
    return end;
  }

  /** Lists pieces, from one on to a long one, or as many as fit; returns which one is next. */
  #list(pieces: readonly number[], first: number): number {
    const words = this.#words;
    const limit = Math.min(pieces.length, first + MAX_LISTED);
    let byteLength = 0;
    let next = first;
    for (; next < limit; next++) {
      const piece = pieces[next] ?? NOWHERE;
      const length = words[piece] ?? 0;
      byteLength += length;
      if (length > MAX_GATHERED_BYTES || byteLength > ROOM_BYTES) break;
      words[next - first] = piece;
    }
    return next;
  }

  #copyListed(count: number, target: Uint8Array, start: number): number {
    const end = this.#gatherer.gather(0, count * WORD_BYTES, ROOM);
    target.set(this.#bytes.subarray(ROOM, end), start);
    return start + end - ROOM;
  }

  #copy(piece: number, target: Uint8Array, start: number): number {
    const length = this.#words[piece] ?? 0;
    const from = (piece + 1) * WORD_BYTES;
    target.set(this.#bytes.subarray(from, from + length), start);
    return start + length;
  }

  #reach(end: number): void {
    const { memory } = this.#gatherer;
    const missing = Math.ceil((end - memory.buffer.byteLength) / PAGE_BYTES);
    if (missing <= 0) return;
    memory.grow(Math.max(missing, MIN_GROWTH_PAGES));
    this.#bytes = new Uint8Array(memory.buffer);
    this.#words = new Int32Array(memory.buffer);
  }
}

/** How many bytes of memory a piece of so many bytes takes up. */
export function sizeOf(byteLength: number): number {
  return (1 + Math.ceil(byteLength / WORD_BYTES)) * WORD_BYTES;
}

/** One for the process: each memory takes up 10 GB of addresses, though of memory only what is used. */
export const pieceMemory: PieceMemory = new PieceMemory();
