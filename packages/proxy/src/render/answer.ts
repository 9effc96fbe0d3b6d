import { SEPARATOR, type Pieces } from "./fragment.ts";
import type { Frame } from "./frame.ts";
import { pieceMemory } from "./pieces/piece-memory.ts";

/**
 * An answer in its pieces. The entity tag comes from the hashes of the pieces, so it is known before
 * a body exists, and equal wherever and whenever the answer is equal.
 */
export class Answer {
  readonly frame: Frame;
  readonly #pieces: Pieces;

  constructor(frame: Frame, pieces: Pieces) {
    this.frame = frame;
    this.#pieces = pieces;
  }

  entityTag(): string {
    return `W/"${hex(this.#pieces.high)}${hex(this.#pieces.low)}"`;
  }

  /** How many bytes the body has. */
  get byteLength(): number {
    return this.#start + this.#pieces.byteLength + this.frame.suffix.length;
  }

  /** How much memory it takes without a body. */
  get heldBytes(): number {
    return this.#pieces.heldBytes;
  }

  /** Where the pieces begin: the prefix is written over the first separator. */
  get #start(): number {
    const overwritten = this.#pieces.byteLength === 0 ? 0 : SEPARATOR.length;
    return this.frame.prefix.length - overwritten;
  }

  /** The body, in memory of its own. */
  body(): Buffer {
    const region = pieceMemory.take(this.byteLength);
    const room = pieceMemory.bytesOf(region, this.byteLength);
    this.writeTo(room);
    const body = Buffer.from(room);
    pieceMemory.giveBack(region);
    return body;
  }

  /**
   * Puts the body together; copying prepared bytes once is all there is to it.
   *
   * @param room of the memory of the pieces
   */
  writeTo(room: Buffer): void {
    const { prefix, suffix } = this.frame;
    const end = this.#pieces.writeTo(room, this.#start);
    room.set(prefix);
    room.set(suffix, end);
  }
}

const HEX_BYTES = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** NOTE: a table, since `toString(16)` takes longer than all else that a tag needs. */
function hex(half: number): string {
  return hexByte(half >>> 24) + hexByte(half >>> 16) + hexByte(half >>> 8) + hexByte(half);
}

function hexByte(byte: number): string {
  return HEX_BYTES[byte & 0xff] ?? "";
}
