import type { Dialect } from "./dialect.ts";
import type { Fragment } from "./fragment.ts";

/**
 * The pieces of an answer in their order. The entity tag comes from the hashes of the pieces, so it
 * is known before a body exists, and equal wherever and whenever the answer is equal.
 */
export class Answer {
  readonly #dialect: Dialect;
  readonly #texts: string[] = [];
  #byteLength = 0;
  #high = 0x243f6a88;
  #low = 0x85a308d3;

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  /** How many bytes the body has. */
  get byteLength(): number {
    const { prefix, suffix } = this.#dialect;
    const commas = Math.max(0, this.#texts.length - 1);
    return Buffer.byteLength(prefix) + this.#byteLength + commas + Buffer.byteLength(suffix);
  }

  add(fragment: Fragment): void {
    if (fragment.byteLength === 0) return;
    this.#texts.push(fragment.text);
    this.#byteLength += fragment.byteLength;
    this.#high = (Math.imul(this.#high, fragment.highFactor) + fragment.high) | 0;
    this.#low = (Math.imul(this.#low, fragment.lowFactor) + fragment.low) | 0;
  }

  entityTag(): string {
    return `W/"${hex(this.#high)}${hex(this.#low)}"`;
  }

  body(): string {
    return this.#dialect.prefix + this.#texts.join(",") + this.#dialect.suffix;
  }
}

function hex(half: number): string {
  return (half >>> 0).toString(16).padStart(8, "0");
}
