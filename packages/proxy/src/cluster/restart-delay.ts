/** A worker that ran for so long can be restarted at once when it ends. */
const STEADY_MS = 10_000;
const FIRST_DELAY_MS = 1000;
const MAX_DELAY_MS = 30_000;

/**
 * How long to wait before a worker is replaced. The first is at once, as requests wait for it; when
 * workers keep ending as soon as they run, the wait doubles from one second to thirty.
 */
export class RestartDelay {
  #earlyEnds = 0;

  /** The wait after the end of a worker that ran for so long. */
  nextMs(ranForMs: number): number {
    this.#earlyEnds = ranForMs < STEADY_MS ? this.#earlyEnds + 1 : 0;
    if (this.#earlyEnds < 2) return 0;
    return Math.min(FIRST_DELAY_MS * 2 ** (this.#earlyEnds - 2), MAX_DELAY_MS);
  }
}
