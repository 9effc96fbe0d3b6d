import { hash } from "node:crypto";
import { isIP } from "node:net";
import { Address6 } from "ip-address";
import { LRUCache } from "lru-cache";
import { type Budget, TokenBucket } from "./token-bucket.ts";

interface GuessLimits {
  readonly perAddress: Budget;
  /** For all addresses together, because an attacker may have many. */
  readonly total: Budget;
}

/** For requests that require a token. */
export const AUTHENTICATION_LIMITS: GuessLimits = {
  perAddress: { burst: 500, perSecond: 2 },
  total: { burst: 5000, perSecond: 50 },
};

/**
 * For `/edge/validate`. Higher, because proxies forward the tokens of their clients: a proxy under attack
 * forwards 20 unknown ones a second. The burst allows two requests of the maximum size.
 */
export const VALIDATION_LIMITS: GuessLimits = {
  perAddress: { burst: 2000, perSecond: 30 },
  total: { burst: 20_000, perSecond: 100 },
};

/** The largest number of tokens in one request to `/edge/validate`: more than any proxy has. */
export const MAX_VALIDATED_TOKENS = 1000;

/** Why a client has to wait, and for how long. */
export interface GuessProblem {
  readonly message: string;
  readonly retryAfterSeconds: number;
}

const MESSAGE =
  "Too many unknown tokens were sent from this address, or from all addresses together: send valid tokens, or wait for the time in Retry-After";

/** Limit for each of the caches of addresses, valid and invalid tokens. About 10 MB in total. */
const MAX_ENTRIES = 10_000;

/**
 * Limits how many tokens a client can guess. Only tokens that its address has not sent before count, and valid
 * ones are refunded. So clients with valid tokens are served while others behind the same address guess, and a
 * client that repeats one revoked token does not exhaust the budget.
 */
export class GuessLimiter {
  readonly #limits: GuessLimits;
  readonly #toError: (problem: GuessProblem) => Error;
  readonly #now: () => number;
  readonly #total: TokenBucket;
  readonly #buckets = createCache<TokenBucket>();
  // NOTE: separate from the invalid tokens, so that guesses cannot evict valid ones.
  readonly #valid = createCache<true>();
  readonly #invalid = createCache<true>();
  readonly #pending = new Set<string>();

  /**
   * @param toError creates the error for a client that has to wait; a 429 with `Retry-After`
   * @param now monotonic clock in milliseconds
   */
  constructor(
    limits: GuessLimits,
    toError: (problem: GuessProblem) => Error,
    now: () => number = () => performance.now(),
  ) {
    this.#limits = limits;
    this.#toError = toError;
    this.#now = now;
    this.#total = new TokenBucket(limits.total, now());
  }

  /**
   * Looks up tokens of a client. They are counted before the lookup, so that concurrent requests share
   * one budget. Valid tokens are refunded afterwards, and all tokens if the lookup fails.
   *
   * @param address IP address of the client
   * @param secrets distinct tokens in the request
   * @param find looks up the tokens and returns the valid ones
   * @throws the error of the constructor if the client, or all clients together, sent too many unknown tokens
   */
  async run<Found extends { readonly secret: string }>(
    address: string,
    secrets: readonly string[],
    find: () => Promise<readonly Found[]>,
  ): Promise<readonly Found[]> {
    const client = networkOf(address);
    const keys = new Map(secrets.map((secret) => [secret, `${client} ${hash("sha256", secret)}`]));
    const unknown = [...keys.values()].filter((key) => !this.#isKnown(key));
    const bucket = this.#bucketOf(client);
    this.#take(bucket, unknown.length);
    let refund = unknown.length;
    for (const key of unknown) this.#pending.add(key);
    try {
      const found = await find();
      const valid = new Set(found.map(({ secret }) => keys.get(secret)));
      for (const key of unknown) if (!valid.has(key)) this.#invalid.set(key, true);
      for (const key of valid) if (key !== undefined) this.#valid.set(key, true);
      refund = unknown.filter((key) => valid.has(key)).length;
      return found;
    } finally {
      for (const key of unknown) this.#pending.delete(key);
      bucket.give(refund);
      this.#total.give(refund);
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
    const ownMs = bucket.tryTake(count, now);
    const waitMs = ownMs > 0 ? ownMs : this.#total.tryTake(count, now);
    if (waitMs === 0) return;
    if (ownMs === 0) bucket.give(count);
    throw this.#toError({ message: MESSAGE, retryAfterSeconds: Math.ceil(waitMs / 1000) });
  }
}

/** NOTE: with `max`, a cache would allocate memory for all entries when it is created. */
function createCache<Value extends object | true>(): LRUCache<string, Value> {
  return new LRUCache({ maxSize: MAX_ENTRIES, sizeCalculation: () => 1 });
}

/**
 * Returns the network of an IP address: addresses of the same network share a budget. A host can choose any
 * address in its IPv6 /64, so the whole /64 shares one. With `TRUST_PROXY=true`, the address can be any string that a client sends.
 */
export function networkOf(address: string): string {
  const family = isIP(address);
  if (family !== 6) return family === 4 ? address : "unknown";
  const parsed = new Address6(address);
  return parsed.isMapped4() ? parsed.to4().correctForm() : parsed.getBitsBase16(0, 64);
}
