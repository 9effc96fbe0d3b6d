import type { FaultSink } from "../events/fault-log.ts";
import { nextDelayMs } from "../schedule/next-delay.ts";
import type { UpstreamError } from "../transport/upstream-error.ts";
import type { SyncSink, Synchronizer } from "./synchronizer.ts";

/** What a way of synchronizing gets that polling stands in for. */
export interface PreferredOptions {
  readonly sink: SyncSink;
  /** To be told of everything that interrupts it. It goes on trying nevertheless. */
  readonly onFailure: (error: UpstreamError) => void;
  /** Whether what it handed over last is in force: polling may have brought something else since. */
  readonly isInForce: () => boolean;
  readonly intervalMs: number;
  readonly faults: FaultSink;
  readonly random: () => number;
}

type Hooks = Pick<PreferredOptions, "sink" | "onFailure" | "isInForce">;

export interface PollingFallbackOptions {
  readonly createPreferred: (hooks: Hooks) => Synchronizer;
  readonly createPolling: (sink: SyncSink) => Synchronizer;
  readonly sink: SyncSink;
  readonly intervalMs: number;
  readonly random: () => number;
}

/**
 * Polls for as long as the preferred way of synchronizing does not work, so that flags are never
 * much older than they would be with polling alone.
 */
export class PollingFallback implements Synchronizer {
  readonly #options: PollingFallbackOptions;
  readonly #preferred: Synchronizer;
  #polling: Synchronizer | undefined;
  #timer: NodeJS.Timeout | undefined;
  #hasWorked = false;
  #isPreferredInForce = false;
  #isStopped = false;
  #stopping: Promise<unknown> = Promise.resolve();

  constructor(options: PollingFallbackOptions) {
    this.#options = options;
    const { sink, createPreferred } = options;
    this.#preferred = createPreferred({
      sink: {
        accept: async (document, signal) => {
          await sink.accept(document, signal);
          this.#hasWorked = true;
          this.#isPreferredInForce = true;
          this.#endPolling();
        },
        unchanged: () => {
          sink.unchanged();
          this.#endPolling();
        },
      },
      onFailure: (error) => this.#interrupted(error),
      isInForce: () => this.#isPreferredInForce,
    });
  }

  start(): void {
    this.#preferred.start();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#endPolling();
    await Promise.all([this.#preferred.stop(), this.#stopping]);
  }

  /** Leaves a short interruption one interval to be over by itself. */
  #interrupted({ code }: UpstreamError): void {
    if (this.#isStopped || this.#polling !== undefined) return;
    if (code === "NOT_OFFERED" || !this.#hasWorked) this.#poll();
    else this.#timer ??= this.#pollLater();
  }

  #pollLater(): NodeJS.Timeout {
    const { intervalMs, random } = this.#options;
    const delayMs = nextDelayMs({ intervalMs, failures: 0, random });
    return setTimeout(() => this.#poll(), delayMs).unref();
  }

  #poll(): void {
    this.#cancelTimer();
    const { sink, createPolling } = this.#options;
    this.#polling = createPolling({
      accept: async (document, signal) => {
        await sink.accept(document, signal);
        this.#isPreferredInForce = false;
      },
      unchanged: () => sink.unchanged(),
    });
    this.#polling.start();
  }

  /** Nothing more is handed over from here on: what polling brings now might be older. */
  #endPolling(): void {
    this.#cancelTimer();
    if (this.#polling === undefined) return;
    this.#stopping = Promise.all([this.#stopping, this.#polling.stop()]);
    this.#polling = undefined;
  }

  #cancelTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
