/** How long a batch may delay others. */
const BATCH_MS = 50;
const FIRST_ITEMS = 20;
const MAX_ITEMS = 500;

/**
 * Divides work on the database into batches that take about 50 ms each. The embedded database blocks everything else
 * while it runs a statement, and the sizes of items can differ by a factor of a thousand.
 */
export class AdaptiveBatches {
  #size = FIRST_ITEMS;

  /** Removes the next batch from a set, and works on it. */
  async runNext<Item, Result>(
    items: Set<Item>,
    work: (batch: readonly Item[]) => Promise<Result>,
  ): Promise<Result> {
    const batch = takeSome(items, this.#size);
    const startMs = performance.now();
    const result = await work(batch);
    const inTime = Math.round((batch.length * BATCH_MS) / (performance.now() - startMs));
    const most = Math.min(2 * this.#size, MAX_ITEMS);
    this.#size = Math.min(Math.max(inTime, 1), most);
    return result;
  }
}

/** Removes some items from a set. Returns them. */
export function takeSome<Item>(items: Set<Item>, count: number): readonly Item[] {
  const taken: Item[] = [];
  for (const item of items) {
    if (taken.length === count) break;
    taken.push(item);
    items.delete(item);
  }
  return taken;
}
