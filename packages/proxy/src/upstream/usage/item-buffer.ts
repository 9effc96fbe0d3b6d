import { FairShare } from "flags-server-kit/neutral";
import type { ChangeKind } from "./application-usage.ts";

/** What a buffer has to know about its items. */
export interface ItemKind<Item> {
  /** An item replaces a pending one with the same key, or is added to it. */
  readonly keyOf: (item: Item) => string;
  readonly isReplacing: (item: Item) => boolean;
  readonly sum: (previous: Item, item: Item) => Item;
  /** Estimated memory in bytes. At least the size of its JSON in the spool. */
  readonly bytesOf: (item: Item) => number;
  /** How many items of a quota can be pending. */
  readonly limit: number;
  /** Whether an item counts against the limit. @default all do */
  readonly isLimited?: (item: Item) => boolean;
}

export interface TakenItem<Item> {
  readonly quotaId: string;
  readonly item: Item;
}

export type ItemJournal<Item> = (kind: ChangeKind, items: readonly TakenItem<Item>[]) => void;

interface PendingItem<Item> {
  item: Item;
  bytes: number;
  readonly isLimited: boolean;
  /** What was accepted since `item` was taken for sending; undefined if nothing was, or if it was not taken. */
  newer: Item | undefined;
  isTaken: boolean;
  /** How often the upstream has rejected it. */
  rejections: number;
}

/** Stores items until they are delivered. `take` returns what to send, and `release` removes what was delivered. */
export class ItemBuffer<Item> {
  protected readonly memory: FairShare;
  readonly #kind: ItemKind<Item>;
  readonly #journal: ItemJournal<Item>;
  /** By quota and key, both in the order in which they will be sent. */
  readonly #quotas = new Map<string, Map<string, PendingItem<Item>>>();
  /** The number of items that count against the limit. */
  readonly #limited = new FairShare(Infinity);

  constructor(kind: ItemKind<Item>, memory: FairShare, journal: ItemJournal<Item>) {
    this.#kind = kind;
    this.memory = memory;
    this.#journal = journal;
  }

  get isEmpty(): boolean {
    return this.#quotas.size === 0;
  }

  find(quotaId: string, item: Item): Item | undefined {
    return this.#quotas.get(quotaId)?.get(this.#kind.keyOf(item))?.item;
  }

  /** How many items can be added before the limit of a quota is reached. */
  freeOf(quotaId: string): number {
    return this.#kind.limit - this.#limited.usedBy(quotaId);
  }

  /** Returns the number of items that were dropped, because the limit of their quota is reached. */
  add(quotaId: string, items: readonly Item[]): number {
    const accepted = items.filter((item) => {
      const hasRoom = (): boolean =>
        this.freeOf(quotaId) > 0 && this.memory.canClaim(quotaId, this.#kind.bytesOf(item));
      const fits = this.find(quotaId, item) !== undefined || hasRoom();
      if (fits) this.#merge(quotaId, item);
      return fits;
    });
    this.#record("add", toTaken(quotaId, accepted));
    return items.length - accepted.length;
  }

  /** Adds items regardless of limits. */
  protected addAll(quotaId: string, items: readonly Item[]): void {
    for (const item of items) this.#merge(quotaId, item);
    this.#record("add", toTaken(quotaId, items));
  }

  /** Applies a change that an earlier process has recorded, regardless of limits. */
  apply(change: ChangeKind, quotaId: string, items: readonly Item[]): void {
    for (const item of items) {
      if (change !== "add") this.#delete(quotaId, item);
      if (change !== "remove") this.#merge(quotaId, item);
    }
  }

  /** Yields everything. Each item is read when it is yielded. */
  *values(): Generator<TakenItem<Item>, undefined> {
    for (const [quotaId, quota] of Array.from(this.#quotas)) {
      for (const pending of Array.from(quota.values())) {
        // NOTE: it may have been released in the meantime.
        if (quota.get(this.#kind.keyOf(pending.item)) === pending) {
          yield { quotaId, item: pending.item };
        }
      }
    }
    return undefined;
  }

  /** Returns one item of each quota in turn, so that a quota with many items does not delay the others. */
  take(limit = Infinity): readonly TakenItem<Item>[] {
    const taken: TakenItem<Item>[] = [];
    let rest = [...this.#quotas].map(([quotaId, quota]) => ({ quotaId, items: quota.values() }));
    while (rest.length > 0) {
      rest = rest.filter(({ quotaId, items }) => {
        const { value: pending } = items.next();
        if (pending === undefined || taken.length >= limit) return false;
        pending.newer = undefined;
        pending.isTaken = true;
        taken.push({ quotaId, item: pending.item });
        return true;
      });
    }
    return taken;
  }

  /** Removes items that were delivered or dropped. */
  release(taken: readonly TakenItem<Item>[]): void {
    const removed: TakenItem<Item>[] = [];
    const rest: TakenItem<Item>[] = [];
    for (const one of taken) {
      const { quotaId, item } = one;
      const { newer } = this.#find(quotaId, item) ?? {};
      this.#delete(quotaId, item);
      if (newer === undefined) {
        removed.push(one);
      } else {
        this.#merge(quotaId, newer);
        rest.push({ quotaId, item: newer });
      }
    }
    this.#record("remove", removed);
    // NOTE: instead of a removal and an addition: of two records, possibly only the first one reaches the disk.
    this.#record("set", rest);
  }

  /** Moves items that could not be delivered, and their quotas, to the end of the order. */
  postpone(taken: readonly TakenItem<Item>[]): void {
    for (const { quotaId, item } of taken) {
      const quota = this.#quotas.get(quotaId);
      const pending = this.#find(quotaId, item);
      if (quota === undefined || pending === undefined) continue;
      const key = this.#kind.keyOf(item);
      quota.delete(key);
      quota.set(key, pending);
      this.#quotas.delete(quotaId);
      this.#quotas.set(quotaId, quota);
    }
  }

  /** Counts that the upstream has rejected an item; returns how often it has. */
  countRejection({ quotaId, item }: TakenItem<Item>): number {
    const pending = this.#find(quotaId, item);
    if (pending === undefined) return 0;
    pending.rejections += 1;
    return pending.rejections;
  }

  #record(kind: ChangeKind, items: readonly TakenItem<Item>[]): void {
    if (items.length > 0) this.#journal(kind, items);
  }

  #find(quotaId: string, item: Item): PendingItem<Item> | undefined {
    return this.#quotas.get(quotaId)?.get(this.#kind.keyOf(item));
  }

  #merge(quotaId: string, item: Item): void {
    const pending = this.#find(quotaId, item);
    if (pending === undefined) {
      this.#create(quotaId, item);
      return;
    }
    pending.item = this.#combine(pending.item, item);
    if (pending.isTaken) pending.newer = this.#combine(pending.newer, item);
    const bytes = this.#kind.bytesOf(pending.item);
    this.memory.claim(quotaId, bytes - pending.bytes);
    pending.bytes = bytes;
  }

  #combine(previous: Item | undefined, item: Item): Item {
    const { isReplacing, sum } = this.#kind;
    return previous === undefined || isReplacing(item) ? item : sum(previous, item);
  }

  #create(quotaId: string, item: Item): void {
    const { keyOf, bytesOf, isLimited = () => true } = this.#kind;
    const bytes = bytesOf(item);
    const rest = { newer: undefined, isTaken: false, rejections: 0 };
    const pending = { item, bytes, isLimited: isLimited(item), ...rest };
    const quota = this.#quotas.get(quotaId) ?? new Map<string, PendingItem<Item>>();
    this.#quotas.set(quotaId, quota.set(keyOf(item), pending));
    this.memory.claim(quotaId, bytes);
    if (pending.isLimited) this.#limited.claim(quotaId, 1);
  }

  #delete(quotaId: string, item: Item): void {
    const pending = this.#find(quotaId, item);
    if (pending === undefined) return;
    this.memory.claim(quotaId, -pending.bytes);
    if (pending.isLimited) this.#limited.claim(quotaId, -1);
    const quota = this.#quotas.get(quotaId);
    quota?.delete(this.#kind.keyOf(item));
    if (quota?.size === 0) this.#quotas.delete(quotaId);
  }
}

function toTaken<Item>(quotaId: string, items: readonly Item[]): readonly TakenItem<Item>[] {
  return items.map((item) => ({ quotaId, item }));
}

/** Groups items by quota, and by what else is given. */
export function groupItems<Item>(
  items: Iterable<TakenItem<Item>>,
  keyOf: (item: Item) => string = () => "",
): readonly (readonly [TakenItem<Item>, ...TakenItem<Item>[]])[] {
  const groups = new Map<string, [TakenItem<Item>, ...TakenItem<Item>[]]>();
  for (const one of items) {
    // NOTE: names that are reported do not contain U+0000.
    const key = `${one.quotaId}\0${keyOf(one.item)}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [one]);
    else group.push(one);
  }
  return [...groups.values()];
}
