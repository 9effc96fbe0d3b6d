const SLICE_MS = 5;

/** Maximum number of items per slice: sockets send written data only once the slice has ended. */
const SLICE_ITEMS = 100;

/**
 * Visits many items without blocking the event loop: works in slices of 5 ms, between which Node
 * processes other events. An item that is added again before it is visited keeps its position.
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
