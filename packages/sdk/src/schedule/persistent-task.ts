import { FaultLog } from "../events/fault-log.ts";
import type { FaultSink } from "../events/fault-log.ts";
import { toUpstreamError } from "../transport/upstream-error.ts";
import { Loop } from "./loop.ts";
import { nextDelayMs } from "./next-delay.ts";

export interface PersistentTaskOptions {
  /** What is done, as the beginning of a sentence: "Fetching flags". */
  readonly subject: string;
  readonly attempt: (signal: AbortSignal) => Promise<void>;
  /** What the waits are derived from; see `nextDelayMs`. */
  readonly intervalMs: number;
  /** Whether a success is followed by another attempt, after the interval. */
  readonly isRepeated: boolean;
  /** Whether a failure is followed by another attempt. @default true */
  readonly isRetried?: boolean;
  /** Asked before each attempt: false ends the task, without a word. @default always wanted */
  readonly isWanted?: () => boolean;
  readonly faults: FaultSink;
  readonly random: () => number;
}

/** Attempts something until it succeeds, or again and again. It stops only when it is told to. */
export class PersistentTask {
  readonly #options: PersistentTaskOptions;
  readonly #faults: FaultLog;
  readonly #abort = new AbortController();
  readonly #loop = new Loop(() => this.#round());

  constructor(options: PersistentTaskOptions) {
    this.#options = options;
    this.#faults = new FaultLog(options.subject, options.faults);
  }

  /** Begins at once; a second call does nothing. */
  start(): void {
    this.#loop.start();
  }

  /** Aborts the attempt under way; resolves when it is over. */
  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#loop.stop();
  }

  async #round(): Promise<number | undefined> {
    const { signal } = this.#abort;
    const { attempt, isWanted = () => true } = this.#options;
    if (!isWanted()) return undefined;
    try {
      await attempt(signal);
    } catch (thrown) {
      return signal.aborted ? undefined : this.#failed(thrown);
    }
    this.#faults.succeeded();
    const { isRepeated, intervalMs, random } = this.#options;
    return isRepeated ? nextDelayMs({ intervalMs, failures: 0, random }) : undefined;
  }

  #failed(thrown: unknown): number | undefined {
    const { isRetried = true, intervalMs, random } = this.#options;
    const error = toUpstreamError(thrown);
    this.#faults.failed(error);
    const { failures } = this.#faults;
    const { retryAfterMs } = error;
    return isRetried ? nextDelayMs({ intervalMs, failures, retryAfterMs, random }) : undefined;
  }
}
