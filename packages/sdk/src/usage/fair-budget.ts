/** The share of a `FairBudget` that one quota uses. */
export interface BudgetShare {
  /** Whether the quota may claim this amount in addition. */
  fits(amount: number): boolean;
  /** Whether this amount is free, regardless of what other quotas may claim later. */
  fitsBeyondShare(amount: number): boolean;
  claim(amount: number): void;
  release(amount: number): void;
}

/**
 * A limited amount that is shared among quotas: none may use more than what remains free. So a
 * single quota can use half of the budget, and n quotas that claim all they can get 1/(n+1)
 * each, which leaves the same share for another one. No quota can exhaust the budget for others.
 */
export class FairBudget {
  #free: number;
  readonly #used = new Map<string, number>();

  constructor(limit: number) {
    this.#free = limit;
  }

  shareOf(quotaId: string): BudgetShare {
    return {
      fits: (amount) =>
        amount === 0 || (this.#used.get(quotaId) ?? 0) + amount <= this.#free - amount,
      fitsBeyondShare: (amount) => amount <= this.#free,
      claim: (amount) => this.#change(quotaId, amount),
      release: (amount) => this.#change(quotaId, -amount),
    };
  }

  #change(quotaId: string, amount: number): void {
    const used = (this.#used.get(quotaId) ?? 0) + amount;
    this.#free -= amount;
    if (used === 0) this.#used.delete(quotaId);
    else this.#used.set(quotaId, used);
  }
}
