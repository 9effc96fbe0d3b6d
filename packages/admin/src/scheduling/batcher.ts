import { setImmediate as yieldToEventLoop } from "node:timers/promises";

interface BatcherOptions<Item, Result> {
  /** Processes all items at once. Returns one result per item, in the same order. */
  run(items: readonly Item[]): Promise<readonly Result[]>;
  /** Largest number of items in one run. */
  readonly maxItems: number;
  /** Size of an item, in a unit of the caller's choice. @default 0 */
  readonly sizeOf?: (item: Item) => number;
  /** Largest total size of a run. A larger item has a run of its own. @default Infinity */
  readonly maxSize?: number;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/**
 * Combines items that arrive during a run into the next run, so that the cost per item falls as the
 * load rises. The run for an item always starts after the item was added, so its result is never
 * based on an earlier state of the database.
 */
export class Batcher<Item, Result> {
  readonly #options: BatcherOptions<Item, Result>;
  readonly #waiting: Waiting<Item, Result>[] = [];
  #isRunning = false;

  constructor(options: BatcherOptions<Item, Result>) {
    this.#options = options;
  }

  /** Resolves with the result of the item when its run has finished; rejects if the run failed. */
  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (!this.#isRunning) void this.#runAll();
    });
  }

  async #runAll(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.length > 0) {
      // NOTE: the embedded database blocks the event loop while it works. Yielding here lets requests
      // that arrived on other connections join the next run.
      await yieldToEventLoop();
      await this.#runBatch(this.#nextBatch());
    }
    this.#isRunning = false;
  }

  #nextBatch(): readonly Waiting<Item, Result>[] {
    const { maxItems, sizeOf = () => 0, maxSize = Number.POSITIVE_INFINITY } = this.#options;
    let count = 0;
    let size = 0;
    for (const { item } of this.#waiting.slice(0, maxItems)) {
      size += sizeOf(item);
      if (count > 0 && size > maxSize) break;
      count += 1;
    }
    return this.#waiting.splice(0, count);
  }

  async #runBatch(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#options.run(batch.map(({ item }) => item));
      for (const [index, waiting] of batch.entries()) waiting.resolve(results[index] as Result);
    } catch (error) {
      // NOTE: items are not retried one by one. A failed write may have been committed, and counting
      // usage twice is worse than letting the client report it again.
      for (const waiting of batch) waiting.reject(error);
    }
  }
}
