/** Smaller bodies take a part of a buffer that Node shares among them, which is as cheap. */
const MIN_BYTES = 4096;

/** How much memory may lie ready. */
const MAX_READY_BYTES = 8 * 1024 * 1024;

/**
 * Memory for bodies on their way out. Memory of that size is outside the heap: to get and to collect
 * it takes longer than to fill it, and much of it piles up before it is collected.
 */
export class BodyPool {
  readonly #ready: Buffer[] = [];
  #capacity = MIN_BYTES;

  /** Whether bodies of that size are worth it. */
  static suits(byteLength: number): boolean {
    return byteLength >= MIN_BYTES;
  }

  /** Memory for a body of that size or more. */
  take(byteLength: number): Buffer {
    if (byteLength > this.#capacity) {
      this.#capacity = 2 ** Math.ceil(Math.log2(byteLength));
      this.#ready.length = 0;
    }
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
