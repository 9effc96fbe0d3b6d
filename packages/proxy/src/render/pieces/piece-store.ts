import type { Part } from "../fragment.ts";
import { pieceMemory, sizeOf } from "./piece-memory.ts";
import type { Region } from "./regions.ts";

/** It takes as much again as it has, up to this. */
const MAX_USUAL_BYTES = 1024 * 1024;

/** Pieces that are needed for as long as somebody holds this. */
export class PieceStore {
  readonly #regions: Region[] = [];
  #next = 0;
  #end = 0;
  #byteLength = 0;

  /** Copies the parts of a piece, of so many bytes, into the memory, and returns its address. */
  put(parts: readonly Part[], byteLength: number): number {
    const size = sizeOf(byteLength);
    if (this.#next + size > this.#end) this.#takeRegion(size);
    const piece = pieceMemory.put(parts, byteLength, this.#next);
    this.#next += size;
    return piece;
  }

  /** Copies the bytes of pieces one behind the other, and returns where they end. */
  gather(pieces: readonly number[], target: Uint8Array, start: number): number {
    return pieceMemory.gather(pieces, target, start);
  }

  #takeRegion(byteLength: number): void {
    const usual = Math.min(this.#byteLength, MAX_USUAL_BYTES);
    const region = pieceMemory.take(Math.max(byteLength, usual));
    if (this.#regions.length === 0) pieceMemory.giveBackAfter(this, this.#regions);
    this.#regions.push(region);
    this.#byteLength += region.end - region.start;
    this.#next = region.start;
    this.#end = region.end;
  }
}
