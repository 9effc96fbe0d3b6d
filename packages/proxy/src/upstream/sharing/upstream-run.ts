import type { CreateSynchronizer, Synchronizer } from "flags-sdk/internal";
import type { EventSink, SyncSink } from "flags-sdk/neutral";

interface UpstreamRunOptions {
  readonly createSynchronizer: CreateSynchronizer;
  readonly sink: SyncSink & { setLive(isLive: boolean): void };
  readonly events: EventSink;
  /** Called after each response of the upstream. */
  readonly onSuccess: (isDocument: boolean) => void;
}

/**
 * Follows the upstream until it is stopped, and records successes and failures. Each run fetches everything again, so
 * that its flags are newer than its start.
 */
export class UpstreamRun {
  readonly #synchronizer: Synchronizer;
  readonly #sink: UpstreamRunOptions["sink"];
  readonly #startedAtMs = performance.now();
  #lastSuccessAtMs: number | undefined;
  #hasFailed = false;
  #isStopped = false;

  constructor({ createSynchronizer, sink, events, onSuccess }: UpstreamRunOptions) {
    this.#sink = sink;
    this.#synchronizer = createSynchronizer(
      {
        accept: async (document, signal, confirmation) => {
          await sink.accept(document, signal, confirmation);
          this.#succeeded();
          onSuccess(true);
        },
        unchanged: (confirmation) => {
          sink.unchanged(confirmation);
          this.#succeeded();
          onSuccess(false);
        },
      },
      {
        events: {
          ...events,
          failure: (error) => {
            this.#hasFailed = true;
            events.failure(error);
          },
        },
        onLive: (isLive) => this.#setLive(isLive),
      },
    );
  }

  get lastSuccessAtMs(): number | undefined {
    return this.#lastSuccessAtMs;
  }

  /** Whether all attempts within the last `durationMs` have failed. */
  isFailingFor(durationMs: number): boolean {
    const sinceMs = performance.now() - (this.#lastSuccessAtMs ?? this.#startedAtMs);
    return this.#hasFailed && sinceMs >= durationMs;
  }

  start(): void {
    this.#synchronizer.start();
  }

  /** Delivers nothing from now on; resolves once everything has ended. */
  async stop(): Promise<void> {
    const stopped = this.#synchronizer.stop();
    this.#setLive(false);
    this.#isStopped = true;
    await stopped;
  }

  #setLive(isLive: boolean): void {
    if (this.#isStopped) return;
    this.#sink.setLive(isLive);
  }

  #succeeded(): void {
    this.#lastSuccessAtMs = performance.now();
    this.#hasFailed = false;
  }
}
