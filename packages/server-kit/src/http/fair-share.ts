/**
 * A limited amount that clients share. No client may use more than it leaves free, so that a few
 * cannot exhaust it for the others. `FairBudget` in `flags-sdk`, which this package cannot import, applies the
 * same rule to quotas.
 */
export class FairShare {
  readonly #limit: number;
  readonly #usedBy = new Map<string, number>();
  #used = 0;

  /** @param limit for all clients together, in any unit */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** What all clients use now. */
  get used(): number {
    return this.#used;
  }

  /** Whether the share of a client is large enough to claim an amount now. */
  canClaim(client: string, amount: number): boolean {
    const own = (this.#usedBy.get(client) ?? 0) + amount;
    return own <= this.#limit - this.#used - amount;
  }

  /**
   * Claims an amount for a client.
   *
   * @returns a function that releases the amount, once; undefined if the client's share is exhausted
   */
  tryClaim(client: string, amount: number): (() => void) | undefined {
    if (!this.canClaim(client, amount)) return undefined;
    this.#change(client, amount);
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      this.#change(client, -amount);
    };
  }

  #change(client: string, amount: number): void {
    this.#used += amount;
    const own = (this.#usedBy.get(client) ?? 0) + amount;
    if (own === 0) this.#usedBy.delete(client);
    else this.#usedBy.set(client, own);
  }
}
