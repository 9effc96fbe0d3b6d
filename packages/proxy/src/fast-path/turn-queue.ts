/** Whoever is first in a turn waits no longer than this for the others. */
const MAX_WAIT_MS = 1;

/**
 * Does what comes up in one turn of the event loop together, at its end. Sending an answer wakes
 * its reader; on a busy machine it then competes for processor and caches with the requests that are
 * still to be read and answered, which cost up to a half as much again.
 */
export class TurnQueue<Item> {
  readonly #handle: (item: Item) => void;
  readonly #now: () => number;
  #items: Item[] = [];
  #sinceMs = 0;

  constructor(handle: (item: Item) => void, now: () => number = () => performance.now()) {
    this.#handle = handle;
    this.#now = now;
  }

  add(item: Item): void {
    this.#items.push(item);
    if (this.#items.length === 1) {
      this.#sinceMs = this.#now();
      setImmediate(() => this.#flush());
    } else if (this.#now() - this.#sinceMs > MAX_WAIT_MS) {
      this.#flush();
    }
  }

  #flush(): void {
    const items = this.#items;
    this.#items = [];
    for (const item of items) this.#handle(item);
  }
}
