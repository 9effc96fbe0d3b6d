/**
 * A time limit for one piece of work, which also ends when the parent signal is aborted.
 *
 * NOTE: `AbortSignal.any` on a long-lived parent keeps every child alive on Node 20; this does not.
 */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #parent: AbortSignal;
  readonly #cancel = (): void => this.#controller.abort(this.#parent.reason);
  #timer: NodeJS.Timeout;
  #isExpired = false;

  constructor(parent: AbortSignal, timeoutMs: number) {
    this.#parent = parent;
    this.#timer = this.#arm(timeoutMs, `No complete answer within ${timeoutMs} ms`);
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

  /** Gives work that never ends so long until its next sign of life, which calls this again. */
  renew(silenceMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = this.#arm(silenceMs, `Nothing received for ${silenceMs} ms`);
  }

  /** Ends the work early. */
  end(): void {
    this.clear();
    this.#controller.abort(new Error("Not needed any more"));
  }

  clear(): void {
    clearTimeout(this.#timer);
    this.#parent.removeEventListener("abort", this.#cancel);
  }
  #arm(timeoutMs: number, reason: string): NodeJS.Timeout {
    return setTimeout(() => {
      this.#isExpired = true;
      this.#controller.abort(new Error(reason));
    }, timeoutMs);
  }
}
