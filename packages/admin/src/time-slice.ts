import { setImmediate } from "node:timers/promises";

/** How long a loop can delay other requests. */
const SLICE_MS = 5;

/** Divides a long loop, so that other requests run in between. */
export class TimeSlice {
  #endMs = performance.now() + SLICE_MS;

  get isOver(): boolean {
    return performance.now() >= this.#endMs;
  }

  /** Resolves once other requests have run. */
  async startNext(): Promise<void> {
    await setImmediate();
    this.#endMs = performance.now() + SLICE_MS;
  }
}

/**
 * Lets callers continue one at a time, while other requests run in between. Requests that wait for the same result of
 * the database would otherwise all continue at once.
 */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  /** Resolves when it is the turn of the caller, whose turn lasts until it waits for something else. */
  async next(): Promise<void> {
    this.#last = this.#last.then(() => setImmediate());
    await this.#last;
  }
}
