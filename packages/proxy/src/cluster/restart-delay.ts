/** A worker that has served for so long is replaced without a delay. */
const STEADY_MS = 10_000;
const FIRST_DELAY_MS = 1000;
const MAX_DELAY_MS = 30_000;
/** So many times in a row a replacement is started without a delay when no other worker is left. */
const MAX_IMMEDIATE_STARTS = 5;

/** How a worker ended. */
export interface WorkerEnd {
  /** The place of the worker among all: its replacement gets the same. */
  readonly slot: number;
  /** For how long it served; 0 when it never did. */
  readonly servedMs: number;
  /** Whether no other worker serves or starts. */
  readonly isLast: boolean;
}

/**
 * Decides how long to wait before a worker is replaced. A worker that served well is replaced at
 * once. One that ends early again and again is in a crash loop: the wait doubles from one second to
 * thirty, for each slot on its own. When no other worker is left, the first replacements start at
 * once nevertheless, and further ones after one second at most, so that requests are not refused
 * for long.
 */
export class RestartDelay {
  readonly #earlyEnds = new Map<number, number>();
  #immediateStarts = 0;

  /** The wait in milliseconds. */
  nextMs({ slot, servedMs, isLast }: WorkerEnd): number {
    if (servedMs >= STEADY_MS) {
      this.#earlyEnds.delete(slot);
      this.#immediateStarts = 0;
      return 0;
    }
    const earlyEnds = (this.#earlyEnds.get(slot) ?? 0) + 1;
    this.#earlyEnds.set(slot, earlyEnds);
    const delayMs = earlyEnds < 2 ? 0 : FIRST_DELAY_MS * 2 ** (earlyEnds - 2);
    if (!isLast) return Math.min(delayMs, MAX_DELAY_MS);
    this.#immediateStarts += 1;
    return this.#immediateStarts > MAX_IMMEDIATE_STARTS ? Math.min(delayMs, FIRST_DELAY_MS) : 0;
  }
}
