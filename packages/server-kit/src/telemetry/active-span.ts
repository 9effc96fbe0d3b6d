import type { Span } from "@opentelemetry/api";

/**
 * The span that log lines belong to, while a function runs, but not after it has returned a promise.
 *
 * NOTE: not an `AsyncLocalStorage`, which before Node 24 hooks into every asynchronous operation of
 * the process, even in requests that are not traced.
 */
export class ActiveSpan {
  #span: Span | undefined;

  get span(): Span | undefined {
    return this.#span;
  }

  run(span: Span, callback: () => void): void {
    const previous = this.#span;
    this.#span = span;
    try {
      callback();
    } finally {
      this.#span = previous;
    }
  }
}
