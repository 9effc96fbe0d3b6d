interface Entry {
  readonly text: string;
}

/** The latest thing that happened to an entry. */
export interface Step<Item> {
  readonly revision: number;
  /** How it is now, or how it was when it went away. */
  readonly item: Item;
}

/** Differences between two revisions. */
export interface Differences<Item> {
  readonly updated: readonly Step<Item>[];
  readonly removed: readonly Step<Item>[];
}

/** What a log begins with. */
export interface LogStart<Item> {
  readonly revision: number;
  readonly items: readonly Item[];
  /** Of how many entries that went away it is remembered that they did. */
  readonly maxRemoved: number;
}

/**
 * Knows of each entry at which revision it became what it is. That is all it takes to tell what is
 * different since a revision, however many came between.
 */
export class ChangeLog<Key, Item extends Entry> {
  readonly #keyOf: (item: Item) => Key;
  readonly #maxRemoved: number;
  #present = new Map<Key, Step<Item>>();
  /** In the order in which they went away. */
  readonly #removed = new Map<Key, Step<Item>>();
  #completeSince: number;

  constructor(keyOf: (item: Item) => Key, start: LogStart<Item>) {
    this.#keyOf = keyOf;
    this.#maxRemoved = start.maxRemoved;
    this.#completeSince = start.revision;
    for (const item of start.items) {
      this.#present.set(keyOf(item), { revision: start.revision, item });
    }
  }

  /** The oldest revision since which every difference is known. */
  get completeSince(): number {
    return this.#completeSince;
  }

  /** What is there now, in the order of the latest `advance()`. */
  *items(): Generator<Item> {
    for (const { item } of this.#present.values()) yield item;
  }

  /** Takes in how everything is at a later revision. */
  advance(revision: number, items: readonly Item[]): void {
    const before = this.#present;
    this.#present = new Map();
    for (const item of items) {
      const key = this.#keyOf(item);
      const step = before.get(key);
      const isSame = step?.item.text === item.text;
      this.#present.set(key, isSame ? step : { revision, item });
      this.#removed.delete(key);
    }
    for (const [key, { item }] of before) {
      if (!this.#present.has(key)) this.#removed.set(key, { revision, item });
    }
    this.#forgetOldest();
  }

  since(revision: number): Differences<Item> {
    const isNewer = (step: Step<Item>): boolean => step.revision > revision;
    return {
      updated: [...this.#present.values()].filter(isNewer),
      removed: [...this.#removed.values()].filter(isNewer),
    };
  }

  #forgetOldest(): void {
    for (const [key, { revision }] of this.#removed) {
      if (this.#removed.size <= this.#maxRemoved) return;
      this.#removed.delete(key);
      this.#completeSince = Math.max(this.#completeSince, revision);
    }
  }
}
