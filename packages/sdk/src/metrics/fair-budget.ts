/** The part of a `FairBudget` that one holder uses. */
export interface BudgetShare {
  /** Whether so much more may be claimed. */
  fits(amount: number): boolean;
  claim(amount: number): void;
  release(amount: number): void;
}

/**
 * A limited amount that is divided among holders: one may hold at most as much as is still free. A
 * single holder gets half of the budget, and of several that each take all they can get, every one
 * gets the same, with as much left for a newcomer. No holder can use up what another one needs.
 */
export class FairBudget {
  #free: number;
  readonly #held = new Map<string, number>();

  constructor(limit: number) {
    this.#free = limit;
  }

  shareOf(holder: string): BudgetShare {
    return {
      fits: (amount) =>
        amount === 0 || (this.#held.get(holder) ?? 0) + amount <= this.#free - amount,
      claim: (amount) => this.#change(holder, amount),
      release: (amount) => this.#change(holder, -amount),
    };
  }

  #change(holder: string, amount: number): void {
    const held = (this.#held.get(holder) ?? 0) + amount;
    this.#free -= amount;
    if (held === 0) this.#held.delete(holder);
    else this.#held.set(holder, held);
  }
}
