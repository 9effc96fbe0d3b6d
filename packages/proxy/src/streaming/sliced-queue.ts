/** For so long one slice works before others have their turn; the writes it causes come on top. */
const SLICE_MS = 5;

/** A slice ends after so many items at the latest, as what they write is sent after it. */
const SLICE_ITEMS = 100;

/**
 * Visits many items without holding up the process: in slices, between which whatever has come in
 * meanwhile is seen to. An item that is added again before its turn keeps its place.
 */
export class SlicedQueue<Item> {
  readonly #visit: (item: Item) => void;
  readonly #items = new Set<Item>();
  #isScheduled = false;

  constructor(visit: (item: Item) => void) {
    this.#visit = visit;
  }

  add(items: Iterable<Item>): void {
    for (const item of items) this.#items.add(item);
    if (!this.#isScheduled) this.#schedule();
  }

  delete(item: Item): void {
    this.#items.delete(item);
  }

  clear(): void {
    this.#items.clear();
  }

  #work(): void {
    const endMs = performance.now() + SLICE_MS;
    let count = 0;
    for (const item of this.#items) {
      this.#items.delete(item);
      this.#visit(item);
      count += 1;
      if (count === SLICE_ITEMS || performance.now() >= endMs) break;
    }
    this.#schedule();
  }

  #schedule(): void {
    this.#isScheduled = this.#items.size > 0;
    if (this.#isScheduled) setImmediate(() => this.#work());
  }
}
