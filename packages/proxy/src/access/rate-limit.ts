/** How often a key can be used. */
export interface Rate {
  readonly perSecond: number;
  /** @default `perSecond`, rounded up */
  readonly burst?: number | undefined;
}

/** A token bucket: `burst` requests at once, and `perSecond` on average. */
export class RateLimit {
  readonly #perMs: number;
  readonly #burst: number;
  readonly #now: () => number;
  #tokens: number;
  #updatedMs: number;

  constructor(
    { perSecond, burst = Math.max(1, Math.ceil(perSecond)) }: Rate,
    now: () => number = () => performance.now(),
  ) {
    this.#perMs = perSecond / 1000;
    this.#burst = burst;
    this.#now = now;
    this.#tokens = burst;
    this.#updatedMs = now();
  }

  /** Counts a request. Returns 0, or if it exceeds the limit, the seconds until the next one does not. */
  count(): number {
    const nowMs = this.#now();
    const added = (nowMs - this.#updatedMs) * this.#perMs;
    this.#tokens = Math.min(this.#burst, this.#tokens + added);
    this.#updatedMs = nowMs;
    if (this.#tokens < 1) return Math.max(1, Math.ceil((1 - this.#tokens) / this.#perMs / 1000));
    this.#tokens -= 1;
    return 0;
  }
}
