import { setTimeout as delay } from "node:timers/promises";

/** Runs calls one after the other, with a minimum time between the starts of two calls. */
export class CallPacer {
  readonly #spacingMs: number;
  #last: Promise<unknown> = Promise.resolve();
  /** A time of `performance.now()`. */
  #startedAtMs = Number.NEGATIVE_INFINITY;

  constructor(spacingMs: number) {
    this.#spacingMs = spacingMs;
  }

  /** Runs a call when it is its turn, and returns its result. */
  run<T>(call: () => Promise<T>): Promise<T> {
    const result = this.#last.then(async () => {
      const waitMs = this.#startedAtMs + this.#spacingMs - performance.now();
      if (waitMs > 0) await delay(waitMs, undefined, { ref: false });
      this.#startedAtMs = performance.now();
      return call();
    });
    this.#last = result.catch(() => {});
    return result;
  }
}
