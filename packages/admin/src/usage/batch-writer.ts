interface BatchWriterOptions<Item> {
  /** Writes all of them or none. */
  write(items: readonly Item[]): Promise<void>;
  /** Most items that are written at once. */
  readonly maxItems: number;
}

interface Waiting<Item> {
  readonly item: Item;
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * Writes what comes in while a write is under way together, in the next one. The more there is to
 * write, the fewer writes each item takes, and nobody is told that it is written before it is.
 */
export class BatchWriter<Item> {
  readonly #options: BatchWriterOptions<Item>;
  readonly #waiting: Waiting<Item>[] = [];
  #isWriting = false;

  constructor(options: BatchWriterOptions<Item>) {
    this.#options = options;
  }

  /** Resolves when the item is written. */
  add(item: Item): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (!this.#isWriting) void this.#writeAll();
    });
  }

  async #writeAll(): Promise<void> {
    this.#isWriting = true;
    while (this.#waiting.length > 0) {
      await this.#writeBatch(this.#waiting.splice(0, this.#options.maxItems));
    }
    this.#isWriting = false;
  }

  async #writeBatch(batch: readonly Waiting<Item>[]): Promise<void> {
    try {
      await this.#options.write(batch.map(({ item }) => item));
      for (const waiting of batch) waiting.resolve();
    } catch (error) {
      // NOTE: no item is tried again by itself. Whether the failed write was made cannot always be
      // told, and what is counted twice is worse than what is reported again by who counted it.
      for (const waiting of batch) waiting.reject(error);
    }
  }
}
