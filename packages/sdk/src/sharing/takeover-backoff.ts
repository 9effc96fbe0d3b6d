const MAX_DOUBLINGS = 4;

/**
 * Decides when a replica that could not reach the upstream may take the lease of a holder that cannot reach it
 * either. The time doubles with each failure, so that replicas do not keep taking the lease from each other
 * during an outage.
 */
export class TakeoverBackoff {
  readonly #firstMs: number;
  readonly #now: () => number;
  #failures = 0;
  #untilMs = -Infinity;

  /** @param firstMs milliseconds after the first failure; doubles with each failure, up to 16 times */
  constructor(firstMs: number, now: () => number) {
    this.#firstMs = firstMs;
    this.#now = now;
  }

  get isOver(): boolean {
    return this.#now() > this.#untilMs;
  }

  /** Must be called whenever the upstream fails. Until the time is over, this counts as the same failure. */
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
