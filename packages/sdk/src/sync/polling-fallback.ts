import { nextDelayMs } from "../scheduling/backoff.ts";
import type { EventSink } from "../transport/failure-log.ts";
import type { UpstreamError } from "../transport/upstream-error.ts";
import type { SyncSink, Synchronizer } from "./synchronizer.ts";

export interface PreferredOptions {
  readonly sink: SyncSink;
  /** Must be called for every failure and interruption; the synchronizer keeps retrying regardless. */
  readonly onFailure: (error: UpstreamError) => void;
  /** Whether its last document is still the current one; false if polling has replaced it. */
  readonly isCurrent: () => boolean;
  readonly intervalMs: number;
  readonly events: EventSink;
}

type Hooks = Pick<PreferredOptions, "sink" | "onFailure" | "isCurrent">;

interface PollingFallbackOptions {
  readonly createPreferred: (hooks: Hooks) => Synchronizer;
  readonly createPolling: (sink: SyncSink) => Synchronizer;
  readonly sink: SyncSink;
  readonly intervalMs: number;
}

/**
 * Runs a preferred synchronizer, and polls while that one fails, so that flags are never much older
 * than with polling alone.
 *
 * - Polling starts immediately if the upstream does not offer deltas or streams, or if the preferred
 *   synchronizer has not delivered any document yet; otherwise after one interval without a success.
 * - Polling stops as soon as the preferred synchronizer delivers a document or a confirmation.
 */
export class PollingFallback implements Synchronizer {
  readonly #options: PollingFallbackOptions;
  readonly #preferred: Synchronizer;
  #polling: Synchronizer | undefined;
  #timer: NodeJS.Timeout | undefined;
  #hasDelivered = false;
  #isPreferredCurrent = false;
  #isStopped = false;
  #stopping: Promise<unknown> = Promise.resolve();

  constructor(options: PollingFallbackOptions) {
    this.#options = options;
    const { sink, createPreferred } = options;
    this.#preferred = createPreferred({
      sink: {
        accept: async (document, signal, confirmation) => {
          await sink.accept(document, signal, confirmation);
          this.#hasDelivered = true;
          this.#isPreferredCurrent = true;
          this.#stopPolling();
        },
        unchanged: (confirmation) => {
          sink.unchanged(confirmation);
          this.#stopPolling();
        },
      },
      onFailure: (error) => this.#preferredFailed(error),
      isCurrent: () => this.#isPreferredCurrent,
    });
  }

  start(): void {
    this.#preferred.start();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#stopPolling();
    await Promise.all([this.#preferred.stop(), this.#stopping]);
  }

  #preferredFailed({ code }: UpstreamError): void {
    if (this.#isStopped || this.#polling !== undefined) return;
    if (code === "NOT_OFFERED" || !this.#hasDelivered) this.#startPolling();
    else this.#timer ??= this.#startPollingLater();
  }

  #startPollingLater(): NodeJS.Timeout {
    const delayMs = nextDelayMs({ intervalMs: this.#options.intervalMs, failures: 0 });
    return setTimeout(() => this.#startPolling(), delayMs).unref();
  }

  #startPolling(): void {
    this.#clearTimer();
    const { sink, createPolling } = this.#options;
    this.#polling = createPolling({
      accept: async (document, signal, confirmation) => {
        await sink.accept(document, signal, confirmation);
        this.#isPreferredCurrent = false;
      },
      unchanged: (confirmation) => sink.unchanged(confirmation),
    });
    this.#polling.start();
  }

  #stopPolling(): void {
    this.#clearTimer();
    if (this.#polling === undefined) return;
    this.#stopping = Promise.all([this.#stopping, this.#polling.stop()]);
    this.#polling = undefined;
  }

  #clearTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
