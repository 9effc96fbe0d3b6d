import { randomInt } from "node:crypto";
import type { Snapshot } from "flags-engine";
import { LRUCache } from "lru-cache";
import { BODY_FORMS, type ResponseBody } from "../http/response-body.ts";

/** Default memory for all cached responses. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Estimated memory of an entry in addition to its strings. */
const OVERHEAD_BYTES = 500;
/** Memory of a character of a key, at worst. */
const CHARACTER_BYTES = 2;

/**
 * A response is cached only if it occurred this often recently. NOTE: not 2. Counts are estimates, and one in 200
 * responses that occur once seems to occur twice, which is enough to fill a cache.
 */
export const MIN_COUNT = 3;

interface Entry {
  readonly body: ResponseBody;
  /** Hash of the request, to estimate its frequency when another request could replace it. */
  readonly hash: number;
}

/**
 * Responses to requests that occur often, such as those of anonymous visitors.
 *
 * The key contains the full text of everything that a client sends, path, query and body, apart from its
 * client key, which is a SHA-256. So no client can obtain or replace the response to another request.
 *
 * Adding an entry copies nothing, so a client whose request is repeatedly cached and evicted costs no more than
 * a new one.
 */
export class ResponseCache {
  // NOTE: one for all snapshots. Each restricted key has a snapshot of its own, so a limit for each would
  // multiply with the number of keys.
  readonly #entries: LRUCache<string, Entry>;
  readonly #ids = new SnapshotIds();
  readonly #frequency = new FrequencySketch();
  readonly #maxBytes: number;

  /** @param maxBytes for all entries; default 64 MiB */
  constructor(maxBytes: number = MAX_BYTES) {
    this.#maxBytes = maxBytes;
    this.#entries = new LRUCache({ maxSize: maxBytes });
  }

  /**
   * Returns the key of a request.
   *
   * @param text everything that the response depends on apart from the snapshot
   */
  keyOf(snapshot: Snapshot, text: string): string {
    return `${this.#ids.of(snapshot)} ${text}`;
  }

  /** Returns the cached response, and counts the request if there is one. */
  get(key: string): ResponseBody | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#frequency.increment(entry.hash);
    return entry.body;
  }

  /** Counts a request whose response was not cached, and caches it if it is frequent enough. */
  offer(key: string, body: ResponseBody): void {
    // Without the snapshot, so that a frequent request is still one after a change of the flags.
    const hash = fnv1a(key, key.indexOf(" ") + 1);
    const count = this.#frequency.increment(hash);
    if (count < MIN_COUNT) return;
    const size = CHARACTER_BYTES * key.length + BODY_FORMS * body.byteLength + OVERHEAD_BYTES;
    if (size > this.#maxBytes || !this.#admits(size, count)) return;
    this.#entries.set(key, { body, hash }, { size });
  }

  /**
   * Releases the responses of all snapshots but the current ones. Nothing requests them any more, but they
   * would use memory, and frequent ones would not be evicted for those of the new snapshots.
   */
  retain(current: Iterable<Snapshot>): void {
    const ids = new Set(Array.from(current, (snapshot) => String(this.#ids.of(snapshot))));
    for (const key of this.#entries.keys()) {
      if (!ids.has(key.slice(0, key.indexOf(" ")))) this.#entries.delete(key);
    }
  }

  /**
   * A full cache admits only a request that is clearly more frequent than the one it would evict.
   * Otherwise a population that is larger than the cache would replace its entries all the time.
   */
  #admits(size: number, count: number): boolean {
    if (this.#entries.calculatedSize + size <= this.#maxBytes) return true;
    const victim = this.#entries.rvalues().next().value;
    return victim === undefined || count > 2 * this.#frequency.estimate(victim.hash);
  }
}

/** Numbers snapshots, so that they can be part of the keys of a cache that does not retain them. */
export class SnapshotIds {
  readonly #ids = new WeakMap<Snapshot, number>();
  #last = 0;

  of(snapshot: Snapshot): number {
    const known = this.#ids.get(snapshot);
    if (known !== undefined) return known;
    this.#last += 1;
    this.#ids.set(snapshot, this.#last);
    return this.#last;
  }
}

/** Slots of each of the two rows. */
const SLOTS = 1 << 16;

/**
 * All counts are halved after this many increments, so that old requests count less. Small compared with
 * SLOTS: if every request is different, fewer than one in a thousand seems to be the third of its kind.
 */
const HALVE_AFTER = 1 << 13;

const MAX_COUNT = 255;

/**
 * Estimates how often a hash occurred recently, in a fixed 128 KiB: a count-min sketch with ageing, as
 * in TinyLFU (Einziger, Friedman and Manes, 2017). An estimate can be too high, so use it only to decide
 * what to cache, never to distinguish requests.
 */
export class FrequencySketch {
  readonly #counts = new Uint8Array(2 * SLOTS);
  #increments = 0;

  /** Counts one occurrence and returns the estimate, including this occurrence. */
  increment(hash: number): number {
    const count = Math.min(this.#add(hash & 0xffff), this.#add(SLOTS + (hash >>> 16)));
    this.#increments += 1;
    if (this.#increments === HALVE_AFTER) this.#halve();
    return count;
  }

  estimate(hash: number): number {
    return Math.min(this.#counts[hash & 0xffff] ?? 0, this.#counts[SLOTS + (hash >>> 16)] ?? 0);
  }

  #add(slot: number): number {
    const count = Math.min((this.#counts[slot] ?? 0) + 1, MAX_COUNT);
    this.#counts[slot] = count;
    return count;
  }

  #halve(): void {
    this.#increments = 0;
    for (let slot = 0; slot < this.#counts.length; slot++) {
      this.#counts[slot] = (this.#counts[slot] ?? 0) >> 1;
    }
  }
}

/**
 * Differs in each process, so that clients cannot choose requests with the same hash. Chosen at first use: some
 * runtimes have no randomness while a module is loaded.
 */
let seed: number | undefined;

/** FNV-1a, 32 bits, of a string from a position on, with a random start. */
export function fnv1a(text: string, from: number = 0): number {
  seed ??= randomInt(2 ** 32);
  // NOTE: `| 0` makes V8 keep this as an integer from the start.
  let hash = seed | 0;
  for (let i = from; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash;
}
