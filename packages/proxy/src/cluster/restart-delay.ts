/** A worker that served for at least this long is replaced without a delay. */
const STABLE_MS = 10_000;
const FIRST_DELAY_MS = 1000;
const MAX_DELAY_MS = 30_000;
/** Maximum number of consecutive replacements without a delay when no other worker is left. */
const MAX_IMMEDIATE_STARTS = 5;

/** The exit of a worker. */
export interface WorkerExit {
  /** The index of the worker, which its replacement inherits. */
  readonly slot: number;
  /** How long the worker served; 0 if it never did. */
  readonly servedMs: number;
  /** Whether no other worker is running or starting. */
  readonly isLast: boolean;
}

/**
 * Decides how long to wait before a worker is replaced. A stable worker is replaced immediately. A
 * worker that repeatedly exits early is in a crash loop: the delay doubles from one second to
 * thirty, for each slot separately. If no other worker is left, the first replacements
 * nevertheless start immediately, and later ones after at most one second, so that requests are not
 * refused for long.
 */
export class RestartDelay {
  readonly #earlyExits = new Map<number, number>();
  #immediateStarts = 0;

  /** Returns the delay in milliseconds. */
  nextMs({ slot, servedMs, isLast }: WorkerExit): number {
    if (servedMs >= STABLE_MS) {
      this.#earlyExits.delete(slot);
      this.#immediateStarts = 0;
      return 0;
    }
    const earlyExits = (this.#earlyExits.get(slot) ?? 0) + 1;
    this.#earlyExits.set(slot, earlyExits);
    const delayMs = earlyExits < 2 ? 0 : FIRST_DELAY_MS * 2 ** (earlyExits - 2);
    if (!isLast) return Math.min(delayMs, MAX_DELAY_MS);
    this.#immediateStarts += 1;
    return this.#immediateStarts > MAX_IMMEDIATE_STARTS ? Math.min(delayMs, FIRST_DELAY_MS) : 0;
  }
}
