/** How much is allowed: a burst, then a number per second. */
export interface Budget {
  readonly burst: number;
  readonly perSecond: number;
}

/** A budget that refills at a constant rate. */
export class TokenBucket {
  readonly #budget: Budget;
  #available: number;
  #updatedAtMs: number;

  constructor(budget: Budget, nowMs: number) {
    this.#budget = budget;
    this.#available = budget.burst;
    this.#updatedAtMs = nowMs;
  }

  /** Milliseconds until `count` units are available; 0 if they are available now. */
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
