import type { UpstreamError } from "../transport/upstream-error.ts";

/** Where faults are told. */
export interface FaultSink {
  readonly error: (error: Error) => void;
  readonly warn: (message: string) => void;
  /** Every single failure, for those who count. */
  readonly failure: (error: UpstreamError) => void;
}

/**
 * Tells of the faults of one kind of call: each nature of fault once per outage, however long it
 * lasts, and then that it is over. Those that need a person are errors, passing ones are warnings.
 */
export class FaultLog {
  readonly #subject: string;
  readonly #sink: FaultSink;
  readonly #told = new Set<string>();
  #failures = 0;

  constructor(subject: string, sink: FaultSink) {
    this.#subject = subject;
    this.#sink = sink;
  }

  /** Failures since the last success. */
  get failures(): number {
    return this.#failures;
  }

  failed(error: UpstreamError): void {
    this.#failures += 1;
    this.#sink.failure(error);
    if (this.#told.has(error.kind)) return;
    this.#told.add(error.kind);
    const message = `${this.#subject} failed: ${error.message}`;
    if (error.isTransient) this.#sink.warn(message);
    else this.#sink.error(new Error(message, { cause: error }));
  }

  succeeded(): void {
    if (this.#failures > 0)
      this.#sink.warn(`${this.#subject} works again, failed attempts: ${this.#failures}`);
    this.#failures = 0;
    this.#told.clear();
  }
}
