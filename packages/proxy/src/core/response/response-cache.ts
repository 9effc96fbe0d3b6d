import { randomInt } from "node:crypto";
import type { Snapshot } from "flags-engine";
import { LRUCache } from "lru-cache";
import { BODY_FORMS, type ResponseBody } from "../http/response-body.ts";

const MAX_BYTES = 64 * 1024 * 1024;

/** Estimated memory of an entry in addition to its strings. */
const OVERHEAD_BYTES = 500;
/** Memory of a character of a key, at worst. */
const CHARACTER_BYTES = 2;

/** A response is cached only if it occurred this often recently. NOTE: not 2, because counts are estimates. */
export const MIN_COUNT = 3;

/**
 * Responses to requests that occur often, such as those of anonymous visitors.
 *
 * The key contains the full text of everything that a client sends, path, query and body, apart from its
 * client key, which is a SHA-256. So no client can obtain or replace the response to another request.
 */
export class ResponseCache {
  // NOTE: one for all snapshots. Each restricted key has a snapshot of its own, so a limit for each would
  // multiply with the number of keys.
  readonly #entries: LRUCache<string, ResponseBody>;
  /** Numbers of snapshots, which the keys do not retain. */
  readonly #ids = new WeakMap<Snapshot, number>();
  #lastId = 0;
  readonly #recent = new RecentCounts();

  /** @param maxBytes for all entries; default 64 MiB */
  constructor(maxBytes: number = MAX_BYTES) {
    this.#entries = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: ({ byteLength }, key) =>
        CHARACTER_BYTES * key.length + BODY_FORMS * byteLength + OVERHEAD_BYTES,
    });
  }

  /** @param text everything that the response depends on apart from the snapshot */
  keyOf(snapshot: Snapshot, text: string): string {
    return `${this.#idOf(snapshot)} ${text}`;
  }

  get(key: string): ResponseBody | undefined {
    return this.#entries.get(key);
  }

  /** Counts a request whose response was not cached, and caches it if it is frequent enough. */
  offer(key: string, body: ResponseBody): void {
    // Without the snapshot, so that a frequent request is still one after a change of the flags.
    const hash = fnv1a(key, key.indexOf(" ") + 1);
    if (this.#recent.increment(hash) >= MIN_COUNT) this.#entries.set(key, body);
  }

  /** Releases the responses of all snapshots but the current ones, which nothing requests any more. */
  retain(current: Iterable<Snapshot>): void {
    const ids = new Set(Array.from(current, (snapshot) => String(this.#idOf(snapshot))));
    for (const key of this.#entries.keys()) {
      if (!ids.has(key.slice(0, key.indexOf(" ")))) this.#entries.delete(key);
    }
  }

  #idOf(snapshot: Snapshot): number {
    const known = this.#ids.get(snapshot);
    if (known !== undefined) return known;
    this.#lastId += 1;
    this.#ids.set(snapshot, this.#lastId);
    return this.#lastId;
  }
}

/** Hashes with the same lowest 16 bits are counted together. */
const SLOTS = 1 << 16;

/**
 * All counts are halved after this many increments, so that old requests count less. Small compared with SLOTS: if every
 * request is different, about one in fifty seems to be the third of its kind.
 */
const HALVE_AFTER = 1 << 13;

/**
 * Counts how often a hash occurred recently, in 64 KiB. A count can be too high, so use it only to decide what to
 * cache, never to distinguish requests.
 */
export class RecentCounts {
  #counts = new Uint8ClampedArray(SLOTS);
  #increments = 0;

  increment(hash: number): number {
    const slot = hash & (SLOTS - 1);
    const count = (this.#counts[slot] ?? 0) + 1;
    this.#counts[slot] = count;
    this.#increments += 1;
    if (this.#increments === HALVE_AFTER) {
      this.#increments = 0;
      this.#counts = this.#counts.map((old) => old >> 1);
    }
    return count;
  }
}

/** Random, so that clients cannot choose requests with the same hash. Some runtimes have no randomness while a module is loaded. */
let seed: number | undefined;

export function fnv1a(text: string, from: number = 0): number {
  seed ??= randomInt(2 ** 32);
  // NOTE: `| 0` makes V8 keep this as an integer from the start.
  let hash = seed | 0;
  for (let i = from; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash;
}
