/**
 * A time limit whose signal is also aborted when the parent signal is.
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
    this.#timer = this.#startTimer(timeoutMs, `No complete response within ${timeoutMs} ms`);
    if (parent.aborted) this.#cancel();
    else parent.addEventListener("abort", this.#cancel, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get isExpired(): boolean {
    return this.#isExpired;
  }

  /** Rejects once the signal is aborted, for work that does not support signals. */
  race<T>(work: Promise<T>): Promise<T> {
    return abortable(work, this.signal);
  }

  /** Restarts the limit for an open-ended response, which may be silent for up to `silenceMs`. */
  renew(silenceMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = this.#startTimer(silenceMs, `Nothing received for ${silenceMs} ms`);
  }

  end(): void {
    this.clear();
    this.#controller.abort(new Error("No longer needed"));
  }

  clear(): void {
    clearTimeout(this.#timer);
    this.#parent.removeEventListener("abort", this.#cancel);
  }

  #startTimer(timeoutMs: number, reason: string): NodeJS.Timeout {
    return setTimeout(() => {
      this.#isExpired = true;
      this.#controller.abort(new Error(reason));
    }, timeoutMs);
  }
}

export function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
