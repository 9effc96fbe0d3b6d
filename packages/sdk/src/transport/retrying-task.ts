import { nextDelayMs } from "../scheduling/backoff.ts";
import { Loop } from "../scheduling/loop.ts";
import { FailureLog } from "./failure-log.ts";
import type { EventSink } from "./failure-log.ts";
import { toUpstreamError } from "./upstream-error.ts";

export interface RetryingTaskOptions {
  /** What the task does, as the start of a sentence: "Fetching flags". */
  readonly subject: string;
  readonly attempt: (signal: AbortSignal) => Promise<void>;
  readonly intervalMs: number;
  readonly isRepeated: boolean;
  readonly isRetried?: boolean;
  /** Called before each attempt; false ends the task without logging. @default always needed */
  readonly isNeeded?: () => boolean;
  readonly events: EventSink;
}

/** Runs an upstream call until it succeeds, or at intervals until it is stopped; retries with backoff. */
export class RetryingTask {
  readonly #options: RetryingTaskOptions;
  readonly #failureLog: FailureLog;
  readonly #abort = new AbortController();
  readonly #loop = new Loop(
    () => this.#run(),
    (error) => this.#failureLog.failed(toUpstreamError(error)),
  );

  constructor(options: RetryingTaskOptions) {
    this.#options = options;
    this.#failureLog = new FailureLog(options.subject, options.events);
  }

  start(): void {
    this.#loop.start();
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#loop.stop();
  }

  async #run(): Promise<number | undefined> {
    const { signal } = this.#abort;
    const { attempt, isNeeded = () => true } = this.#options;
    if (!isNeeded()) return undefined;
    try {
      await attempt(signal);
    } catch (thrown) {
      return signal.aborted ? undefined : this.#failed(thrown);
    }
    this.#failureLog.succeeded();
    const { isRepeated, intervalMs } = this.#options;
    return isRepeated ? nextDelayMs({ intervalMs, failures: 0 }) : undefined;
  }

  #failed(thrown: unknown): number | undefined {
    const { isRetried = true, intervalMs } = this.#options;
    const error = toUpstreamError(thrown);
    this.#failureLog.failed(error);
    const { consecutiveFailures: failures } = this.#failureLog;
    const { retryAfterMs } = error;
    return isRetried ? nextDelayMs({ intervalMs, failures, retryAfterMs }) : undefined;
  }
}
