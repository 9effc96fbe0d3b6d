/** How much memory may lie ready. */
const MAX_READY_BYTES = 8 * 1024 * 1024;

/** A body that needs less than this part of what lies ready gets memory of its own. */
const MIN_SHARE = 1 / 8;

/**
 * Memory for bodies on their way out. To get it anew for each body, and to collect it, takes longer
 * than to fill it, and much of it piles up before it is collected.
 */
export class BodyPool {
  readonly #ready: Buffer[] = [];
  #capacity = 0;

  /** Memory for a body of that size or more. */
  take(byteLength: number): Buffer {
    if (byteLength > this.#capacity) {
      this.#capacity = 2 ** Math.ceil(Math.log2(byteLength));
      this.#ready.length = 0;
    }
    if (byteLength < this.#capacity * MIN_SHARE) return Buffer.allocUnsafe(byteLength);
    return this.#ready.pop() ?? Buffer.allocUnsafeSlow(this.#capacity);
  }

  /** Takes memory back. Only when the body is out: whoever gets it next writes over it. */
  giveBack(memory: Buffer): void {
    const isCurrent = memory.length === this.#capacity;
    if (isCurrent && (this.#ready.length + 1) * this.#capacity <= MAX_READY_BYTES) {
      this.#ready.push(memory);
    }
  }
}
