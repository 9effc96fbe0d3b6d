import type { Steps } from "flags-engine";

/** For so long a slice works before others have their turn. */
const SLICE_MS = 5;

/** Does a slice of a piece of work, and returns whether that was the last one. */
type DoSlice = () => boolean;

/**
 * Does work that takes long without holding up the process: in slices, between which whatever has
 * come in meanwhile is seen to. Pieces of work are done in the order in which they came, never two
 * at a time. What fits into one slice is done at once, if nothing is before it.
 */
export class SlicedWork {
  readonly #sliceMs: number;
  readonly #slices: DoSlice[] = [];
  #isIdle = true;

  /** @param sliceMs for so long a slice works, and for one step at least */
  constructor(sliceMs: number = SLICE_MS) {
    this.#sliceMs = sliceMs;
  }

  /**
   * Resolves to the result. Rejects when a step throws, or once the signal is aborted: then no
   * further step is done. Who waits for it goes on before the next piece of work begins, and may
   * still call that off.
   */
  run<Result>(steps: Steps<Result>, signal?: AbortSignal): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#slices.push(() => {
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
      if (this.#isIdle) this.#work();
    });
  }

  #advance<Result>(steps: Steps<Result>): IteratorResult<undefined, Result> {
    const endMs = performance.now() + this.#sliceMs;
    let step = steps.next();
    while (step.done !== true && performance.now() < endMs) step = steps.next();
    return step;
  }

  #work(): void {
    const [doSlice] = this.#slices;
    this.#isIdle = doSlice === undefined;
    if (doSlice === undefined) return;
    if (doSlice()) this.#slices.shift();
    // NOTE: also after the last slice, since who waits for the result goes on before the next turn.
    setImmediate(() => this.#work());
  }
}
