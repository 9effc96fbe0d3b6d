import { TokenBucket } from "flags-server-kit/http";

/** How often a key can be used. */
interface Rate {
  readonly perSecond: number;
  /** @default `perSecond`, rounded up */
  readonly burst?: number | undefined;
}

/** Limits the requests with a key: `burst` at once, and `perSecond` on average. */
export class RateLimit {
  readonly #now: () => number;
  readonly #bucket: TokenBucket;

  /** @param now monotonic clock in milliseconds */
  constructor(
    { perSecond, burst = Math.max(1, Math.ceil(perSecond)) }: Rate,
    now: () => number = () => performance.now(),
  ) {
    this.#now = now;
    this.#bucket = new TokenBucket({ perSecond, burst }, now());
  }

  /** Counts a request. Returns 0, or if it exceeds the limit, the seconds until the next one does not. */
  count(): number {
    return Math.ceil(this.#bucket.tryTake(1, this.#now()) / 1000);
  }
}
