import type { Part } from "../fragment.ts";
import { pieceMemory, sizeOf } from "./piece-memory.ts";
import { lengthOf, type Region } from "./regions.ts";

/** It takes as much again as it has for pieces, up to this. */
const MAX_USUAL_BYTES = 1024 * 1024;

/** Memory that is needed for as long as somebody holds this: pieces, and what is known of them. */
export class PieceStore {
  readonly #regions: Region[] = [];
  #next = 0;
  #end = 0;
  #byteLength = 0;

  /** Memory of so many bytes or more, and whatever is in it. */
  take(byteLength: number): Region {
    const region = pieceMemory.take(byteLength);
    if (this.#regions.length === 0) pieceMemory.giveBackAfter(this, this.#regions);
    this.#regions.push(region);
    return region;
  }

  /** Copies the parts of a piece, of so many bytes, into the memory, and returns its address. */
  put(parts: readonly Part[], byteLength: number): number {
    const size = sizeOf(byteLength);
    if (this.#next + size > this.#end) this.#makeRoom(size);
    const piece = pieceMemory.put(parts, byteLength, this.#next);
    this.#next += size;
    return piece;
  }

  #makeRoom(byteLength: number): void {
    const usual = Math.min(this.#byteLength, MAX_USUAL_BYTES);
    const region = this.take(Math.max(byteLength, usual));
    this.#byteLength += lengthOf(region);
    this.#next = region.start;
    this.#end = region.end;
  }
}
