import { isIP } from "node:net";
import { Address6 } from "ip-address";
import { LRUCache } from "lru-cache";
import { ApiError } from "../errors.ts";
import { hashToken } from "./tokens/hash-token.ts";

/** How many unknown tokens may be tried: so many at once, and then so many per second. */
export interface GuessBudget {
  readonly burst: number;
  readonly perSecond: number;
}

interface GuessLimits {
  readonly perAddress: GuessBudget;
  /** For all addresses together: an attacker may have many. */
  readonly total: GuessBudget;
}

/** Unknown tokens in requests that need a token. */
export const AUTHENTICATION_LIMITS: GuessLimits = {
  perAddress: { burst: 500, perSecond: 2 },
  total: { burst: 5000, perSecond: 50 },
};

/**
 * Unknown tokens sent to `/edge/validate`. Higher, because proxies pass on what their clients send.
 * A burst allows two requests of the largest size.
 */
export const VALIDATION_LIMITS: GuessLimits = {
  perAddress: { burst: 2000, perSecond: 10 },
  total: { burst: 20_000, perSecond: 100 },
};

/** Addresses, valid tokens and invalid tokens to remember, each at most. About 10 MB together. */
const MAX_ENTRIES = 10_000;

/**
 * Limits how many tokens a client can guess. Only a text that its address has not sent before
 * counts, and one that turns out to be valid is given back. So clients whose tokens are valid are
 * served even while others behind the same address guess, and a client that repeats one revoked
 * token uses up nothing.
 */
export class GuessLimiter {
  readonly #limits: GuessLimits;
  readonly #now: () => number;
  readonly #total: TokenBucket;
  readonly #buckets = new LRUCache<string, TokenBucket>({ max: MAX_ENTRIES });
  // NOTE: separate from invalid ones, so that guesses cannot evict them.
  readonly #valid = new LRUCache<string, true>({ max: MAX_ENTRIES });
  readonly #invalid = new LRUCache<string, true>({ max: MAX_ENTRIES });
  readonly #pending = new Set<string>();

  /** @param now milliseconds of a clock that never goes back */
  constructor(limits: GuessLimits, now: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
    this.#total = new TokenBucket(limits.total, now());
  }

  /**
   * Looks up tokens of a client. Counts them before the lookup, so that concurrent requests share one
   * budget, and gives back those that are valid, and all of them when the lookup fails.
   *
   * @param address of the client
   * @param secrets the distinct texts that it sent
   * @param find looks them up, and returns those that are valid
   * @throws {ApiError} 429 when the client, or all of them together, sent too many unknown tokens
   */
  async run<Found extends { readonly secret: string }>(
    address: string,
    secrets: readonly string[],
    find: () => Promise<readonly Found[]>,
  ): Promise<readonly Found[]> {
    const client = toNetwork(address);
    const keys = new Map(secrets.map((secret) => [secret, `${client} ${hashToken(secret)}`]));
    const unknown = [...keys.values()].filter((key) => !this.#isKnown(key));
    const bucket = this.#bucketOf(client);
    this.#take(bucket, unknown.length);
    let given = unknown.length;
    for (const key of unknown) this.#pending.add(key);
    try {
      const found = await find();
      const valid = new Set(found.map(({ secret }) => keys.get(secret)));
      for (const key of unknown) if (!valid.has(key)) this.#invalid.set(key, true);
      for (const key of valid) if (key !== undefined) this.#valid.set(key, true);
      given = unknown.filter((key) => valid.has(key)).length;
      return found;
    } finally {
      for (const key of unknown) this.#pending.delete(key);
      bucket.give(given);
      this.#total.give(given);
    }
  }

  #isKnown(key: string): boolean {
    return this.#pending.has(key) || [this.#valid, this.#invalid].some((cache) => cache.get(key));
  }

  #bucketOf(client: string): TokenBucket {
    const existing = this.#buckets.get(client);
    if (existing !== undefined) return existing;
    const created = new TokenBucket(this.#limits.perAddress, this.#now());
    this.#buckets.set(client, created);
    return created;
  }

  #take(bucket: TokenBucket, count: number): void {
    if (count === 0) return;
    const now = this.#now();
    const waitMs = Math.max(bucket.waitMs(count, now), this.#total.waitMs(count, now));
    if (waitMs > 0) throw tooManyGuesses(waitMs);
    bucket.take(count);
    this.#total.take(count);
  }
}

function tooManyGuesses(waitMs: number): ApiError {
  return new ApiError(
    "RateLimitError",
    "Too many unknown tokens were sent from this address, or from all addresses together: send tokens that exist, or wait as long as Retry-After says",
    { headers: { "retry-after": String(Math.ceil(waitMs / 1000)) } },
  );
}

/** A budget that fills up again steadily. */
class TokenBucket {
  readonly #budget: GuessBudget;
  #available: number;
  #updatedAtMs: number;

  constructor(budget: GuessBudget, nowMs: number) {
    this.#budget = budget;
    this.#available = budget.burst;
    this.#updatedAtMs = nowMs;
  }

  /** Milliseconds until so many can be taken; 0 for now. */
  waitMs(count: number, nowMs: number): number {
    const { burst, perSecond } = this.#budget;
    const refill = ((nowMs - this.#updatedAtMs) / 1000) * perSecond;
    this.#available = Math.min(burst, this.#available + refill);
    this.#updatedAtMs = nowMs;
    return Math.max(0, ((count - this.#available) / perSecond) * 1000);
  }

  take(count: number): void {
    this.#available -= count;
  }

  give(count: number): void {
    this.#available = Math.min(this.#budget.burst, this.#available + count);
  }
}

/**
 * The clients that share a budget: a host can choose any address in its IPv6 /64, so all of it is
 * one client. With `TRUST_PROXY=true`, an address can be any text that a client sends.
 */
function toNetwork(address: string): string {
  const family = isIP(address);
  if (family !== 6) return family === 4 ? address : "unknown";
  const parsed = new Address6(address);
  return parsed.isMapped4() ? parsed.to4().correctForm() : parsed.getBitsBase16(0, 64);
}
