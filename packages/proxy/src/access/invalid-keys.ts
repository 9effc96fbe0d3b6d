import { hash, randomBytes } from "node:crypto";
import { LRUCache } from "lru-cache";

const MAX_ENTRIES = 10_000;

/** Short, so that a key works soon after it was created, even if a client used it before that. */
const LIFETIME_MS = 10_000;

/**
 * Remembers for a short time which keys the upstream has rejected. Contains only hashes with a
 * secret of this process, so clients cannot choose keys that collide, and a memory dump reveals no
 * key.
 */
export class InvalidKeys {
  readonly #secret = randomBytes(32).toString("latin1");
  readonly #hashes: LRUCache<string, true>;

  /** @param perf clock in milliseconds */
  constructor(perf: { now: () => number } = performance) {
    this.#hashes = new LRUCache({ max: MAX_ENTRIES, ttl: LIFETIME_MS, ttlResolution: 0, perf });
  }

  add(key: string): void {
    this.#hashes.set(this.#hashOf(key), true);
  }

  has(key: string): boolean {
    return this.#hashes.has(this.#hashOf(key));
  }

  #hashOf(key: string): string {
    return hash("sha256", this.#secret + key, "base64");
  }
}
