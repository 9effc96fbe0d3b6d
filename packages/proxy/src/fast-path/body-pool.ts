import { pieceMemory } from "../render/pieces/piece-memory.ts";
import { lengthOf, type Region } from "../render/pieces/regions.ts";

/** Slow readers may hold so much; what is taken for bodies is never given back to the system. */
const MAX_OUT_BYTES = 8 * 1024 * 1024;

/** Where a body is put together, and sent from. */
export interface Room {
  readonly region: Region;
  /** As many as the body has. */
  readonly bytes: Buffer;
}

/** Rooms for bodies on their way out, in the memory of the pieces. */
export class BodyPool {
  #outBytes = 0;

  /**
   * A room for a body of that size, or undefined when too much would be out then. If nothing is
   * out, there is room for a body of any size.
   */
  take(byteLength: number): Room | undefined {
    if (this.#outBytes > 0 && this.#outBytes + byteLength > MAX_OUT_BYTES) return undefined;
    const region = pieceMemory.take(byteLength);
    this.#outBytes += lengthOf(region);
    return { region, bytes: pieceMemory.bytesOf(region, byteLength) };
  }

  /** Takes a room back. Only when the body is out: whoever gets it next writes over it. */
  giveBack({ region }: Room): void {
    this.#outBytes -= lengthOf(region);
    pieceMemory.giveBack(region);
  }
}
