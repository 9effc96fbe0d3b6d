import type { FairShare } from "flags-server-kit/neutral";
import type { ChangeKind } from "./application-usage.ts";
import { Quotas } from "./quotas.ts";

/** What a buffer has to know about its items. */
export interface ItemKind<Item> {
  /** An item replaces a pending one with the same key, or is added to it. */
  readonly keyOf: (item: Item) => string;
  readonly isReplacing: (item: Item) => boolean;
  readonly sum: (previous: Item, item: Item) => Item;
  /** Estimated memory. */
  readonly bytesOf: (item: Item) => number;
  /** Pending items per quota. */
  readonly limit: number;
}

/** An item that is being sent. */
export interface TakenItem<Item> {
  readonly quotaId: string;
  readonly item: Item;
}

/** Receives every change. */
export type ItemJournal<Item> = (
  change: ChangeKind,
  quotaId: string,
  items: readonly Item[],
) => void;

interface PendingItem<Item> {
  item: Item;
  bytes: number;
  /** What was accepted since `item` was taken for sending; undefined if nothing was, or if it was not taken. */
  newer: Item | undefined;
  isTaken: boolean;
}

/**
 * Stores impact metrics or registrations until they are delivered. `take` returns what to send, and `release` removes what
 * was delivered; a failed delivery needs nothing.
 */
export class ItemBuffer<Item> {
  readonly #kind: ItemKind<Item>;
  readonly #memory: FairShare;
  readonly #journal: ItemJournal<Item>;
  readonly #pending = new Quotas<PendingItem<Item>>();

  constructor(kind: ItemKind<Item>, memory: FairShare, journal: ItemJournal<Item>) {
    this.#kind = kind;
    this.#memory = memory;
    this.#journal = journal;
  }

  get isEmpty(): boolean {
    return this.#pending.isEmpty;
  }

  has(quotaId: string, key: string): boolean {
    return this.#pending.get(quotaId, key) !== undefined;
  }

  /** Returns the number of items that were dropped, because the limit of their quota is reached. */
  add(quotaId: string, items: readonly Item[]): number {
    const { keyOf, bytesOf, limit } = this.#kind;
    const accepted = items.filter((item) => {
      const key = keyOf(item);
      const hasRoom = (): boolean =>
        this.#pending.countOf(quotaId) < limit && this.#memory.canClaim(quotaId, bytesOf(item));
      const fits = this.has(quotaId, key) || hasRoom();
      if (fits) this.#merge(quotaId, key, item);
      return fits;
    });
    if (accepted.length > 0) this.#journal("add", quotaId, accepted);
    return items.length - accepted.length;
  }

  /** Adds items of an earlier process, regardless of limits. They do not replace newer ones. */
  restore(quotaId: string, items: readonly Item[]): void {
    const { keyOf, isReplacing } = this.#kind;
    for (const item of items) {
      const key = keyOf(item);
      if (!isReplacing(item) || !this.has(quotaId, key)) this.#merge(quotaId, key, item);
    }
  }

  /** Applies a change that an earlier process has recorded, regardless of limits. */
  apply(change: ChangeKind, quotaId: string, items: readonly Item[]): void {
    for (const item of items) {
      const key = this.#kind.keyOf(item);
      if (change !== "add") this.#replace(quotaId, key, undefined);
      if (change !== "remove") this.#merge(quotaId, key, item);
    }
  }

  /** Yields everything. Each item is read when it is yielded. */
  *values(): Generator<TakenItem<Item>, undefined> {
    for (const [quotaId, , { item }] of this.#pending.entries()) yield { quotaId, item };
    return undefined;
  }

  /** Returns items for sending, one of each quota in turn. */
  take(limit = Infinity): readonly TakenItem<Item>[] {
    const taken: TakenItem<Item>[] = [];
    for (const [quotaId, , pending] of this.#pending.inTurn()) {
      pending.newer = undefined;
      pending.isTaken = true;
      taken.push({ quotaId, item: pending.item });
      if (taken.length >= limit) break;
    }
    return taken;
  }

  /** Removes items that were delivered or dropped. */
  release(taken: readonly TakenItem<Item>[]): void {
    for (const { quotaId, item } of taken) {
      const key = this.#kind.keyOf(item);
      const newer = this.#pending.get(quotaId, key)?.newer;
      this.#replace(quotaId, key, newer);
      this.#journal(newer === undefined ? "remove" : "set", quotaId, [newer ?? item]);
    }
  }

  #merge(quotaId: string, key: string, item: Item): void {
    const pending = this.#pending.get(quotaId, key);
    if (pending === undefined) {
      this.#replace(quotaId, key, item);
      return;
    }
    pending.item = this.#combine(pending.item, item);
    if (pending.isTaken) pending.newer = this.#combine(pending.newer, item);
    // NOTE: the size may change, because impact metrics with different help texts are merged.
    const bytes = this.#kind.bytesOf(pending.item);
    this.#memory.claim(quotaId, bytes - pending.bytes);
    pending.bytes = bytes;
  }

  #combine(previous: Item | undefined, item: Item): Item {
    const { isReplacing, sum } = this.#kind;
    return previous === undefined || isReplacing(item) ? item : sum(previous, item);
  }

  #replace(quotaId: string, key: string, item: Item | undefined): void {
    const bytes = item === undefined ? 0 : this.#kind.bytesOf(item);
    this.#memory.claim(quotaId, bytes - (this.#pending.get(quotaId, key)?.bytes ?? 0));
    if (item === undefined) this.#pending.delete(quotaId, key);
    else this.#pending.set(quotaId, key, { item, bytes, newer: undefined, isTaken: false });
  }
}
