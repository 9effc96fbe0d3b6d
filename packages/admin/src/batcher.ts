import { setImmediate as turn } from "node:timers/promises";

interface BatcherOptions<Item, Result> {
  /** Does the work for all items at once; returns a result for each, in their order. */
  run(items: readonly Item[]): Promise<readonly Result[]>;
  /** Most items of one run. */
  readonly maxItems: number;
  /** How large an item is, in a unit of the caller. @default 0 */
  readonly sizeOf?: (item: Item) => number;
  /** A run takes no further item once its items are this large together. @default Infinity */
  readonly maxSize?: number;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/**
 * Does together, in the next run, what comes in while a run is under way. The more there is to do,
 * the fewer runs each item takes. And the run for an item always begins after the item came in: what
 * was true before that is not taken for an answer, and nothing is said to be done before it is.
 */
export class Batcher<Item, Result> {
  readonly #options: BatcherOptions<Item, Result>;
  readonly #waiting: Waiting<Item, Result>[] = [];
  #isRunning = false;

  constructor(options: BatcherOptions<Item, Result>) {
    this.#options = options;
  }

  /** Resolves with the result of the item once its run is done. */
  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (!this.#isRunning) void this.#runAll();
    });
  }

  async #runAll(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.length > 0) {
      // NOTE: the embedded database does its work before anything else gets a turn. What has arrived
      // at other connections is read in between, and becomes part of the same run.
      await turn();
      await this.#runBatch(this.#takeBatch());
    }
    this.#isRunning = false;
  }

  #takeBatch(): readonly Waiting<Item, Result>[] {
    const { maxItems, sizeOf = () => 0, maxSize = Number.POSITIVE_INFINITY } = this.#options;
    let count = 0;
    let size = 0;
    for (const { item } of this.#waiting.slice(0, maxItems)) {
      count += 1;
      size += sizeOf(item);
      if (size >= maxSize) break;
    }
    return this.#waiting.splice(0, count);
  }

  async #runBatch(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#options.run(batch.map(({ item }) => item));
      for (const [index, waiting] of batch.entries()) waiting.resolve(results[index] as Result);
    } catch (error) {
      // NOTE: no item is tried again by itself. Whether a failed write was made cannot always be
      // told, and what is counted twice is worse than what is reported again by who counted it.
      for (const waiting of batch) waiting.reject(error);
    }
  }
}
