/**
 * A time limit for one piece of work, which also ends when the parent signal is aborted.
 *
 * NOTE: `AbortSignal.any` on a long-lived parent keeps every child alive on Node 20; this does not.
 */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #parent: AbortSignal;
  readonly #timer: NodeJS.Timeout;
  readonly #cancel = (): void => this.#controller.abort(this.#parent.reason);
  #isExpired = false;

  constructor(parent: AbortSignal, timeoutMs: number) {
    this.#parent = parent;
    this.#timer = setTimeout(() => {
      this.#isExpired = true;
      this.#controller.abort(new Error(`No complete answer within ${timeoutMs} ms`));
    }, timeoutMs);
    if (parent.aborted) this.#cancel();
    else parent.addEventListener("abort", this.#cancel, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** True when the time ran out, false when the parent ended the work. */
  get isExpired(): boolean {
    return this.#isExpired;
  }

  /** Waits for work that knows nothing of signals, no longer than the deadline allows. */
  race<T>(work: Promise<T>): Promise<T> {
    const { signal } = this;
    const aborted = new Promise<never>((_resolve, reject) => {
      const fail = (): void => reject(signal.reason as Error);
      if (signal.aborted) fail();
      else signal.addEventListener("abort", fail, { once: true });
    });
    return Promise.race([work, aborted]);
  }

  clear(): void {
    clearTimeout(this.#timer);
    this.#parent.removeEventListener("abort", this.#cancel);
  }
}
