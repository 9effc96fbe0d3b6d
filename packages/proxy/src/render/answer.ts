import type { Dialect } from "./dialect.ts";
import type { Fragment } from "./fragment.ts";

/**
 * The pieces of an answer in their order. The entity tag comes from the hashes of the pieces, so it
 * is known before a body exists, and equal wherever and whenever the answer is equal.
 */
export class Answer {
  readonly #dialect: Dialect;
  readonly #texts: string[] = [];
  #length: number;
  #high = 0x243f6a88;
  #low = 0x85a308d3;

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
    this.#length = dialect.prefix.length + dialect.suffix.length;
  }

  /** How many characters the body has, give or take a comma. */
  get length(): number {
    return this.#length;
  }

  add(fragment: Fragment): void {
    this.#texts.push(fragment.text);
    this.#length += fragment.text.length + 1;
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
