import { nextDelayMs } from "../scheduling/backoff.ts";
import { Loop } from "../scheduling/loop.ts";
import { readEvents } from "../transport/event-stream.ts";
import type { StreamItem } from "../transport/event-stream.ts";
import { FailureLog } from "../transport/failure-log.ts";
import { isHeaderValue } from "../transport/headers.ts";
import { MAX_RETRY_AFTER_MS, notOfferedCheckMs } from "../transport/status-error.ts";
import type { UpstreamApi } from "../transport/upstream-api.ts";
import { toUpstreamError, UpstreamError } from "../transport/upstream-error.ts";
import { DeltaDocument } from "./delta-document.ts";
import type { PreferredOptions } from "./polling-fallback.ts";
import { confirmedNow, parseAgeComment } from "../transport/confirmation.ts";
import type { Confirmation } from "../transport/confirmation.ts";
import type { Synchronizer } from "./synchronizer.ts";

interface StreamingOptions extends PreferredOptions {
  readonly api: Pick<UpstreamApi, "openStream" | "readEvent">;
  readonly onLive: (isLive: boolean) => void;
}

type StreamedEvent = Extract<StreamItem, { readonly kind: "event" }>;

const FLAG_EVENTS: ReadonlySet<string> = new Set(["unleash-connected", "unleash-updated"]);

/**
 * Receives changes on an event stream as they happen, and reconnects with backoff whenever the
 * stream fails or ends. A new stream resumes after the last event.
 */
export class Streaming implements Synchronizer {
  readonly #options: StreamingOptions;
  readonly #failureLog: FailureLog;
  readonly #document: DeltaDocument;
  readonly #abort = new AbortController();
  readonly #loop = new Loop(
    () => this.#connect(),
    (error) => this.#failureLog.failed(toUpstreamError(error)),
  );
  #lastEventId: string | undefined;
  /** Consecutive connections that failed or ended within one interval. */
  #failures = 0;
  /** When the first flags arrived on the current connection; undefined before. */
  #receivingSinceMs: number | undefined;
  #confirmation: Confirmation = confirmedNow();
  #retryMs = 0;
  #isPollingRequested = false;

  constructor(options: StreamingOptions) {
    this.#options = options;
    this.#failureLog = new FailureLog("Streaming flags", options.events);
    this.#document = new DeltaDocument(options);
  }

  start(): void {
    this.#loop.start();
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#loop.stop();
  }

  /** Returns the delay before reconnecting. */
  async #connect(): Promise<number | undefined> {
    const { signal } = this.#abort;
    this.#receivingSinceMs = undefined;
    this.#isPollingRequested = false;
    try {
      await this.#receive(signal);
      if (signal.aborted) return undefined;
      return this.#isPollingRequested ? this.#switchToPolling() : this.#ended();
    } catch (thrown) {
      return signal.aborted ? undefined : this.#failed(toUpstreamError(thrown));
    }
  }

  async #receive(signal: AbortSignal): Promise<void> {
    const resumeAfter = this.#document.isHydrated ? this.#lastEventId : undefined;
    const stream = await this.#options.api.openStream(resumeAfter, signal);
    this.#confirmation = stream.confirmation;
    try {
      for await (const item of readEvents(stream.chunks)) {
        signal.throwIfAborted();
        await this.#handleItem(item, signal);
        if (this.#isPollingRequested) return;
      }
    } finally {
      this.#options.onLive(false);
      stream.close();
    }
  }

  async #handleItem(item: StreamItem, signal: AbortSignal): Promise<void> {
    if (item.kind === "retry") this.#retryMs = Math.min(item.retryMs, MAX_RETRY_AFTER_MS);
    else if (item.kind === "comment") this.#confirm(item.text);
    else if (item.name === "fetch-mode") this.#isPollingRequested = item.data === "polling";
    else if (FLAG_EVENTS.has(item.name)) await this.#apply(item, signal);
  }

  /**
   * Once flags have arrived, a keep-alive confirms that nothing has changed. If the upstream follows another one,
   * only with the age of its flags, which it also sends after each event.
   */
  #confirm(comment: string): void {
    if (this.#receivingSinceMs === undefined) return;
    const { isRelayed } = this.#confirmation;
    const ageMs = isRelayed ? parseAgeComment(comment) : 0;
    if (ageMs === undefined) return;
    this.#confirmation = { atMs: performance.now() - ageMs, isRelayed, isNext: true };
    this.#options.sink.unchanged(this.#confirmation);
  }

  /** NOTE: the age of relayed flags follows the event, which is as old as the previous one until then. */
  #confirmationOfEvent(): Confirmation {
    if (this.#receivingSinceMs === undefined) return this.#confirmation;
    const { isRelayed, atMs } = this.#confirmation;
    return { atMs: isRelayed ? atMs : performance.now(), isRelayed, isNext: true };
  }

  async #apply({ data, id }: StreamedEvent, signal: AbortSignal): Promise<void> {
    try {
      const delta = await this.#options.api.readEvent(data, signal);
      await this.#document.apply(delta, signal, this.#confirmationOfEvent());
    } catch (cause) {
      this.#document.reset();
      throw cause;
    }
    // An id that is not a valid header value cannot be sent back, so everything must be sent again.
    this.#lastEventId = isHeaderValue(id) ? id : undefined;
    this.#receivingSinceMs ??= performance.now();
    this.#options.onLive(true);
    this.#failureLog.succeeded();
  }

  #switchToPolling(): number {
    const { intervalMs, onFailure, events } = this.#options;
    const message = "The upstream requests polling instead of streaming: flags are polled";
    events.warn(message);
    onFailure(new UpstreamError(message, { code: "NOT_OFFERED" }));
    return nextDelayMs({ intervalMs: notOfferedCheckMs(intervalMs), failures: 0 });
  }

  /**
   * The end of a stream is a failure only if it comes within one interval: upstreams end streams
   * when they restart, and to distribute their load.
   */
  #ended(): number {
    const error = new UpstreamError("The upstream ended the stream", { code: "NETWORK" });
    if (!this.#hasLasted()) return this.#failed(error);
    this.#options.onFailure(error);
    return this.#nextDelayMs(error);
  }

  #failed(error: UpstreamError): number {
    this.#failureLog.failed(error);
    this.#options.onFailure(error);
    return this.#nextDelayMs(error);
  }

  #nextDelayMs({ retryAfterMs = 0 }: UpstreamError): number {
    const { intervalMs } = this.#options;
    this.#failures = this.#hasLasted() ? 1 : this.#failures + 1;
    const minimumMs = Math.max(retryAfterMs, this.#retryMs);
    return nextDelayMs({ intervalMs, failures: this.#failures, retryAfterMs: minimumMs });
  }

  #hasLasted(): boolean {
    const { intervalMs } = this.#options;
    const sinceMs = this.#receivingSinceMs;
    return sinceMs !== undefined && performance.now() - sinceMs >= intervalMs;
  }
}
