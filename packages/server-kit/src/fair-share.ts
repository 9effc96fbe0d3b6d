/**
 * A limited amount that clients share. No client may use more than it leaves free: a single one can use half of it, and
 * n clients that claim all they can get 1/(n+1) each, which leaves the same share for another one. So none can exhaust it
 * for the others.
 */
export class FairShare {
  readonly #usedBy = new Map<string, number>();
  #used = 0;
  #free: number;

  /** @param limit for all clients together, in any unit */
  constructor(limit: number) {
    this.#free = limit;
  }

  /** What all clients use now. */
  get used(): number {
    return this.#used;
  }

  /** What no client uses. Negative if clients have claimed more than the limit. */
  get free(): number {
    return this.#free;
  }

  /** What one client uses now. */
  usedBy(client: string): number {
    return this.#usedBy.get(client) ?? 0;
  }

  /** Whether the share of a client is large enough to claim an amount now. */
  canClaim(client: string, amount: number): boolean {
    return this.usedBy(client) + amount <= this.#free - amount;
  }

  /** Whether a client uses no more than its share. */
  isWithin(client: string): boolean {
    return this.canClaim(client, 0);
  }

  /**
   * Claims an amount for a client.
   *
   * @returns a function that releases the amount, once; undefined if the client's share is exhausted
   */
  tryClaim(client: string, amount: number): (() => void) | undefined {
    if (!this.canClaim(client, amount)) return undefined;
    this.claim(client, amount);
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      this.claim(client, -amount);
    };
  }

  /** Claims an amount without checking the share of the client; a negative amount is released. */
  claim(client: string, amount: number): void {
    this.#used += amount;
    this.#free -= amount;
    const own = this.usedBy(client) + amount;
    if (own === 0) this.#usedBy.delete(client);
    else this.#usedBy.set(client, own);
  }
}
