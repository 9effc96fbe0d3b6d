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
