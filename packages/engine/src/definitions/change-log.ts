interface Entry {
  readonly text: string;
}

/** The latest change of an entry. */
interface LatestChange<Item> {
  readonly revision: number;
  /** The current content, or the last content before the removal. */
  readonly item: Item;
}

/** The differences between two revisions. */
interface Differences<Item> {
  readonly updated: readonly LatestChange<Item>[];
  readonly removed: readonly LatestChange<Item>[];
}

/** The initial state of a log. */
interface InitialState<Item> {
  readonly revision: number;
  readonly items: readonly Item[];
  /** The maximum number of removals to remember. The oldest are dropped first. */
  readonly maxRemoved: number;
}

/**
 * Records the revision of the latest change of each entry. That is enough to list the differences
 * since any earlier revision, however many revisions lie in between.
 */
export class ChangeLog<Key, Item extends Entry> {
  readonly #keyOf: (item: Item) => Key;
  readonly #maxRemoved: number;
  #present = new Map<Key, LatestChange<Item>>();
  /** In order of removal. */
  readonly #removed = new Map<Key, LatestChange<Item>>();
  #completeSince: number;

  constructor(keyOf: (item: Item) => Key, start: InitialState<Item>) {
    this.#keyOf = keyOf;
    this.#maxRemoved = start.maxRemoved;
    this.#completeSince = start.revision;
    for (const item of start.items) {
      this.#present.set(keyOf(item), { revision: start.revision, item });
    }
  }

  /** The oldest revision for which `since()` returns every difference. */
  get completeSince(): number {
    return this.#completeSince;
  }

  /** Number of entries: the current ones, and the remembered removals. */
  get size(): number {
    return this.#present.size + this.#removed.size;
  }

  /** The current entries, in the order of the latest `advance()`. */
  *items(): Generator<Item> {
    for (const { item } of this.#present.values()) yield item;
  }

  /** Replaces the current entries with those of a later revision and records the differences. */
  advance(revision: number, items: readonly Item[]): void {
    const previous = this.#present;
    this.#present = new Map();
    for (const item of items) {
      const key = this.#keyOf(item);
      const change = previous.get(key);
      const isUnchanged = change?.item.text === item.text;
      this.#present.set(key, isUnchanged ? change : { revision, item });
      this.#removed.delete(key);
    }
    for (const [key, { item }] of previous) {
      if (!this.#present.has(key)) this.#removed.set(key, { revision, item });
    }
    this.#dropOldestRemovals();
  }

  /** Returns the differences since a revision that is not older than `completeSince`. */
  since(revision: number): Differences<Item> {
    const isNewer = (change: LatestChange<Item>): boolean => change.revision > revision;
    return {
      updated: [...this.#present.values()].filter(isNewer),
      removed: [...this.#removed.values()].filter(isNewer),
    };
  }

  #dropOldestRemovals(): void {
    for (const [key, { revision }] of this.#removed) {
      if (this.#removed.size <= this.#maxRemoved) return;
      this.#removed.delete(key);
      this.#completeSince = Math.max(this.#completeSince, revision);
    }
  }
}
