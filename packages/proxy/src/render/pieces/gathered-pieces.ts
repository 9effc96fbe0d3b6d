import type { Pieces } from "../fragment.ts";
import { assembly, type Choice } from "./assembly.ts";
import type { PieceStore } from "./piece-store.ts";

/** Pieces of an answer, where a store has them. */
export class GatheredPieces implements Pieces {
  /** Their addresses. */
  readonly list: Int32Array;
  readonly byteLength: number;
  readonly high: number;
  readonly low: number;
  /** NOTE: held, since the pieces are overwritten when nobody holds their store. */
  readonly store: PieceStore;

  constructor(store: PieceStore, { list, byteLength, high, low }: Choice) {
    this.store = store;
    this.list = list;
    this.byteLength = byteLength;
    this.high = high;
    this.low = low;
  }

  get heldBytes(): number {
    return this.list.byteLength;
  }

  writeTo(room: Buffer, start: number): number {
    return assembly.gather(this.list, room.byteOffset + start) - room.byteOffset;
  }
}
