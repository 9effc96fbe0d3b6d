export interface Budget {
  readonly burst: number;
  readonly perSecond: number;
}

export class TokenBucket {
  readonly #budget: Budget;
  #available: number;
  #updatedAtMs: number;

  constructor(budget: Budget, nowMs: number) {
    this.#budget = budget;
    this.#available = budget.burst;
    this.#updatedAtMs = nowMs;
  }

  /** More than the burst are taken from a full bucket. @returns 0, or the milliseconds until they are available */
  tryTake(count: number, nowMs: number): number {
    const { burst, perSecond } = this.#budget;
    this.give(((nowMs - this.#updatedAtMs) / 1000) * perSecond);
    this.#updatedAtMs = nowMs;
    const missing = Math.min(count, burst) - this.#available;
    if (missing > 0) return (missing / perSecond) * 1000;
    this.#available -= count;
    return 0;
  }

  give(count: number): void {
    this.#available = Math.min(this.#budget.burst, this.#available + count);
  }
}
