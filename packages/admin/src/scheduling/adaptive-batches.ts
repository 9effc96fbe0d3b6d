/** CPU time of a batch, which delays others. NOTE: by the clock, batches would become tiny on a busy machine. */
const BATCH_MS = 50;
const FIRST_ITEMS = 20;
const MAX_ITEMS = 500;

/**
 * Divides work on the database into batches that take about 50 ms of CPU time each. The embedded database blocks everything else
 * while it runs a statement, and the sizes of items can differ by a factor of a thousand.
 */
export class AdaptiveBatches {
  #size = FIRST_ITEMS;

  /** Removes the next batch from a set, and works on it. */
  async runNext<Item, Result>(
    items: Set<Item>,
    work: (batch: readonly Item[]) => Promise<Result>,
  ): Promise<Result> {
    if (items.size === 0) return work([]);
    const batch = takeSome(items, this.#size);
    const start = process.cpuUsage();
    const result = await work(batch);
    const { user, system } = process.cpuUsage(start);
    const inTime = Math.round((batch.length * BATCH_MS) / ((user + system) / 1000));
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
