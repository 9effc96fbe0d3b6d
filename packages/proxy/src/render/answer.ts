import type { Dialect } from "./dialect.ts";
import { SEPARATOR, type Fragment } from "./fragment.ts";

/**
 * The pieces of an answer in their order. The entity tag comes from the hashes of the pieces, so it
 * is known before a body exists, and equal wherever and whenever the answer is equal.
 */
export class Answer {
  readonly #dialect: Dialect;
  readonly #pieces: Buffer[] = [];
  #piecesLength = 0;
  #high = 0x243f6a88;
  #low = 0x85a308d3;

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  add({ bytes, high, highFactor, low, lowFactor }: Fragment): void {
    this.#pieces.push(bytes);
    this.#piecesLength += bytes.length;
    this.#high = (Math.imul(this.#high, highFactor) + high) | 0;
    this.#low = (Math.imul(this.#low, lowFactor) + low) | 0;
  }

  entityTag(): string {
    return `W/"${hex(this.#high)}${hex(this.#low)}"`;
  }

  /** How many bytes the body has. */
  get byteLength(): number {
    const { prefix, suffix } = this.#dialect;
    const overwritten = this.#piecesLength === 0 ? 0 : SEPARATOR.length;
    return Buffer.byteLength(prefix) - overwritten + this.#piecesLength + Buffer.byteLength(suffix);
  }

  /** The body, in memory of its own. */
  body(): Buffer {
    const body = Buffer.allocUnsafe(this.byteLength);
    this.writeTo(body);
    return body;
  }

  /** Puts the body together; copying prepared bytes once is all there is to it. */
  writeTo(memory: Buffer): void {
    const { prefix, suffix } = this.#dialect;
    let end = Buffer.byteLength(prefix) - (this.#piecesLength === 0 ? 0 : SEPARATOR.length);
    for (const piece of this.#pieces) {
      memory.set(piece, end);
      end += piece.length;
    }
    memory.write(prefix);
    memory.write(suffix, end);
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
