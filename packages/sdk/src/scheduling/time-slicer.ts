import type { Steps } from "flags-engine";

const SLICE_MS = 5;

type RunSlice = () => boolean;

/**
 * Runs long jobs without blocking the event loop: in time slices, between which other events are
 * processed. Jobs run in the order in which they were added, never two at a time. If no other job
 * is pending, the first slice runs synchronously.
 */
export class TimeSlicer {
  readonly #sliceMs: number;
  readonly #jobs: RunSlice[] = [];
  #isIdle = true;

  /** @param sliceMs maximum duration of a slice; a slice always completes at least one step */
  constructor(sliceMs: number = SLICE_MS) {
    this.#sliceMs = sliceMs;
  }

  /** Rejects if a step throws, or once the signal is aborted. The caller resumes before the next job, so it can still abort that. */
  run<Result>(steps: Steps<Result>, signal?: AbortSignal): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#jobs.push(() => {
        try {
          signal?.throwIfAborted();
          const { done, value } = this.#advance(steps);
          if (done === true) resolve(value);
          return done === true;
        } catch (cause) {
          reject(cause);
          return true;
        }
      });
      if (this.#isIdle) this.#runSlice();
    });
  }

  #advance<Result>(steps: Steps<Result>): IteratorResult<undefined, Result> {
    const endMs = performance.now() + this.#sliceMs;
    let step = steps.next();
    while (step.done !== true && performance.now() < endMs) step = steps.next();
    return step;
  }

  #runSlice(): void {
    const [runSlice] = this.#jobs;
    this.#isIdle = runSlice === undefined;
    if (runSlice === undefined) return;
    if (runSlice()) this.#jobs.shift();
    // NOTE: also after the last slice, so that the caller resumes before the next job starts.
    setImmediate(() => this.#runSlice());
  }
}
