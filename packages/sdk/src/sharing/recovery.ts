const MAX_DOUBLINGS = 4;

/**
 * Decides when a replica that could not reach the upstream may take the lease from another one that cannot
 * either. The time doubles with each failure, so that the lease does not go round during an outage.
 */
export class Recovery {
  readonly #firstMs: number;
  readonly #now: () => number;
  #failures = 0;
  #untilMs = -Infinity;

  /** @param firstMs milliseconds after the first failure; up to 16 times as much after further ones */
  constructor(firstMs: number, now: () => number) {
    this.#firstMs = firstMs;
    this.#now = now;
  }

  get isOver(): boolean {
    return this.#now() > this.#untilMs;
  }

  /** Called repeatedly while the upstream fails: a failure lasts until the time is over. */
  failed(): void {
    if (!this.isOver) return;
    const doublings = Math.min(this.#failures, MAX_DOUBLINGS);
    this.#failures += 1;
    this.#untilMs = this.#now() + this.#firstMs * 2 ** doublings;
  }

  succeeded(): void {
    this.#failures = 0;
    this.#untilMs = -Infinity;
  }
}
