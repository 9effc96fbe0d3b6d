import type { Pieces } from "../fragment.ts";
import type { PieceStore } from "./piece-store.ts";

/** Pieces of an answer, where a store has them. */
export class GatheredPieces implements Pieces {
  readonly addresses: readonly number[];
  readonly byteLength: number;
  readonly high: number;
  readonly low: number;
  /** NOTE: held, since the pieces are overwritten when nobody holds their store. */
  readonly #store: PieceStore;

  constructor(
    store: PieceStore,
    { addresses, byteLength, high, low }: Omit<GatheredPieces, "writeTo">,
  ) {
    this.#store = store;
    this.addresses = addresses;
    this.byteLength = byteLength;
    this.high = high;
    this.low = low;
  }

  writeTo(memory: Buffer, start: number): number {
    return this.#store.gather(this.addresses, memory, start);
  }
}
