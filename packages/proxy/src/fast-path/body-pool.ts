import { pieceMemory } from "../render/pieces/piece-memory.ts";

/** Slow readers may hold so much; what is taken for bodies is never given back to the system. */
const MAX_OUT_BYTES = 8 * 1024 * 1024;

/** Rooms for bodies on their way out, in the memory in which they are put together. */
export class BodyPool {
  #outBytes = 0;

  /** A room for a body of that size; undefined when too much is out, if anything. */
  take(byteLength: number): Buffer | undefined {
    const outBytes = this.#outBytes + byteLength;
    if (outBytes > MAX_OUT_BYTES && this.#outBytes > 0) return undefined;
    this.#outBytes = outBytes;
    return pieceMemory.bytesOf(pieceMemory.take(byteLength), byteLength);
  }

  /** Takes a room back. Only when the body is out: whoever gets it next writes over it. */
  giveBack({ byteOffset, length }: Buffer): void {
    this.#outBytes -= length;
    pieceMemory.giveBack({ start: byteOffset, end: byteOffset + length });
  }
}
