import { Address4, Address6 } from "ip-address";
import { LRUCache } from "lru-cache";
import { type Budget, TokenBucket } from "./token-bucket.ts";

export interface AttemptLimits {
  readonly perAddress: Budget;
  readonly total: Budget;
}

/** For requests that require a token, and for sign-ins. */
export const AUTHENTICATION_LIMITS: AttemptLimits = {
  perAddress: { burst: 500, perSecond: 2 },
  total: { burst: 5000, perSecond: 50 },
};

/** About 3 MB. */
const MAX_NETWORKS = 10_000;

export class AttemptLimiter {
  readonly #limits: AttemptLimits;
  readonly #toError: (retryAfterSeconds: number) => Error;
  readonly #now: () => number;
  readonly #total: TokenBucket;
  // NOTE: with `max`, the cache would allocate memory for all entries when it is created.
  readonly #buckets = new LRUCache<string, TokenBucket>({
    maxSize: MAX_NETWORKS,
    sizeCalculation: () => 1,
  });

  /** @param toError creates the error for a client that has to wait */
  constructor(
    limits: AttemptLimits,
    toError: (retryAfterSeconds: number) => Error,
    now: () => number = () => performance.now(),
  ) {
    this.#limits = limits;
    this.#toError = toError;
    this.#now = now;
    this.#total = new TokenBucket(limits.total, now());
  }

  /** @returns a function that gives back the attempts that do not count */
  take(network: string, count: number): (uncounted: number) => void {
    const bucket = this.#bucketOf(network);
    // NOTE: the budget may be below 0; then even a request without attempts would have to wait.
    if (count > 0) this.#takeFrom(bucket, count);
    return (uncounted) => {
      bucket.give(uncounted);
      this.#total.give(uncounted);
    };
  }

  #bucketOf(network: string): TokenBucket {
    const existing = this.#buckets.get(network);
    if (existing !== undefined) return existing;
    const created = new TokenBucket(this.#limits.perAddress, this.#now());
    this.#buckets.set(network, created);
    return created;
  }

  #takeFrom(bucket: TokenBucket, count: number): void {
    const now = this.#now();
    const ownMs = bucket.tryTake(count, now);
    const waitMs = ownMs > 0 ? ownMs : this.#total.tryTake(count, now);
    if (waitMs === 0) return;
    if (ownMs === 0) bucket.give(count);
    throw this.#toError(Math.ceil(waitMs / 1000));
  }
}

const WITH_PORT = /^(?:(?<ipv4>[\d.]+)|\[(?<ipv6>[\da-f:.]+)\])(?::\d+)?$/i;

/**
 * Returns the network of an IP address: addresses of the same network share a budget. A host can choose any
 * address in its IPv6 /64, so the whole /64 shares one. With `TRUST_PROXY=true`, the address can be any string that a client sends.
 *
 * @param text an address, with the port that some load balancers add in `X-Forwarded-For`
 */
export function networkOf(text: string): string {
  const { ipv4, ipv6 } = WITH_PORT.exec(text)?.groups ?? {};
  const address = ipv4 ?? ipv6 ?? text;
  // NOTE: the classes also accept ranges, and take long to reject long texts.
  if (address.length > MAX_ADDRESS_LENGTH || address.includes("/")) return "unknown";
  if (!address.includes(":"))
    return Address4.isValid(address) ? new Address4(address).correctForm() : "unknown";
  if (!Address6.isValid(address)) return "unknown";
  const parsed = new Address6(address);
  return parsed.isMapped4() ? parsed.to4().correctForm() : parsed.getBitsBase16(0, 64);
}

/** More than that of an IPv6 address with the name of an interface. */
const MAX_ADDRESS_LENGTH = 100;
