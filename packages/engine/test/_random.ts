/** A seeded random generator: the same seed gives the same documents on every machine. */
export interface Choices {
  /** Uniform in [0, 1). */
  readonly next: () => number;
  /** An integer from 0 to `below - 1`. */
  integer(below: number): number;
  chance(probability: number): boolean;
  pick<Item>(items: readonly Item[]): Item;
  /** Picks a value by its weight. */
  weighted<Item>(items: readonly (readonly [weight: number, item: Item])[]): Item;
  list<Item>(length: number, create: (index: number) => Item): Item[];
}

export function createChoices(seed: number): Choices {
  const next = createMulberry(seed);
  const integer = (below: number): number => Math.floor(next() * below);
  return {
    next,
    integer,
    chance: (probability) => next() < probability,
    pick: (items) => at(items, integer(items.length)),
    weighted: (items) => pickWeighted(items, next()),
    list: (length, create) => Array.from({ length }, (_, index) => create(index)),
  };
}

function pickWeighted<Item>(items: readonly (readonly [number, Item])[], draw: number): Item {
  let left = draw * items.reduce((total, [weight]) => total + weight, 0);
  for (const [weight, item] of items) {
    left -= weight;
    if (left < 0) return item;
  }
  return at(items, items.length - 1)[1];
}

function at<Item>(items: readonly Item[], index: number): Item {
  // NOTE: not items[index], because an item may be undefined.
  for (const [position, item] of items.entries()) {
    if (position === index) return item;
  }
  throw new RangeError(`Cannot pick item ${index} of ${items.length}`);
}

/** Mulberry32. Its 32 bits of state are sufficient for test data. */
function createMulberry(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
