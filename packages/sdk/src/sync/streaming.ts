import { FaultLog } from "../events/fault-log.ts";
import { Loop } from "../schedule/loop.ts";
import { nextDelayMs } from "../schedule/next-delay.ts";
import { isHeaderValue } from "../transport/header-map.ts";
import { readEvents } from "../transport/read-events.ts";
import type { StreamItem } from "../transport/read-events.ts";
import { nextCheckMs } from "../transport/not-offered.ts";
import { MAX_RETRY_AFTER_MS } from "../transport/retry-after.ts";
import type { UpstreamApi } from "../transport/upstream-api.ts";
import { toUpstreamError, UpstreamError } from "../transport/upstream-error.ts";
import { DeltaDocument } from "./delta-document.ts";
import type { PreferredOptions } from "./polling-fallback.ts";
import type { Synchronizer } from "./synchronizer.ts";

export interface StreamingOptions extends PreferredOptions {
  readonly api: Pick<UpstreamApi, "openStream" | "readEvent">;
}

type StreamedEvent = Extract<StreamItem, { readonly kind: "event" }>;

/** An upstream whose polls ask for streaming and whose streams ask for polling must not cause a loop. */
const MIN_RESUME_MS = 1000;

const EVENTS: ReadonlySet<string> = new Set(["unleash-connected", "unleash-updated"]);

/** Listens to the upstream telling its changes as they happen; connects again whenever it is cut off. */
export class Streaming implements Synchronizer {
  readonly #options: StreamingOptions;
  readonly #faults: FaultLog;
  readonly #document: DeltaDocument;
  readonly #abort = new AbortController();
  readonly #loop = new Loop(() => this.#round());
  #lastEventId: string | undefined;
  /** Connections in a row that did not last. */
  #failures = 0;
  /** Since when the present connection has brought something. */
  #liveSinceMs: number | undefined;
  /** How long the upstream wants connections to stay away after an end. */
  #retryMs = 0;
  /** When the current or latest attempt to connect began, by the clock of `performance.now()`. */
  #attemptedAtMs = 0;
  /** Whether the upstream ended the latest connection by asking for polling. */
  #isPollingRequested = false;

  constructor(options: StreamingOptions) {
    this.#options = options;
    this.#faults = new FaultLog("Streaming flags", options.faults);
    this.#document = new DeltaDocument(options);
  }

  start(): void {
    this.#loop.start();
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#loop.stop();
  }

  /** Connects again after the upstream asked for polling; does nothing in other cases. */
  resume(): void {
    const minimumMs = Math.max(this.#options.intervalMs, MIN_RESUME_MS);
    const isTooEarly = performance.now() - this.#attemptedAtMs < minimumMs;
    if (this.#isPollingRequested && !isTooEarly) this.#loop.wake();
  }

  async #round(): Promise<number | undefined> {
    const { signal } = this.#abort;
    this.#liveSinceMs = undefined;
    this.#attemptedAtMs = performance.now();
    this.#isPollingRequested = false;
    try {
      await this.#listen(signal);
      if (signal.aborted) return undefined;
      return this.#isPollingRequested ? this.#leaveToPolling() : this.#ended();
    } catch (thrown) {
      return signal.aborted ? undefined : this.#failed(toUpstreamError(thrown));
    }
  }

  async #listen(signal: AbortSignal): Promise<void> {
    const known = this.#document.isHydrated ? this.#lastEventId : undefined;
    const stream = await this.#options.api.openStream(known, signal);
    try {
      for await (const item of readEvents(stream.chunks)) {
        signal.throwIfAborted();
        await this.#take(item, signal);
        if (this.#isPollingRequested) return;
      }
    } finally {
      stream.close();
    }
  }

  async #take(item: StreamItem, signal: AbortSignal): Promise<void> {
    if (item.kind === "retry") this.#retryMs = Math.min(item.retryMs, MAX_RETRY_AFTER_MS);
    else if (item.kind === "comment") this.#confirm();
    else if (item.name === "fetch-mode") this.#isPollingRequested = item.data === "polling";
    else if (EVENTS.has(item.name)) await this.#apply(item, signal);
  }

  /** A sign of life says that nothing has changed, once there is something that could. */
  #confirm(): void {
    if (this.#liveSinceMs !== undefined) this.#options.sink.unchanged();
  }

  async #apply({ data, id }: StreamedEvent, signal: AbortSignal): Promise<void> {
    try {
      await this.#document.apply(await this.#options.api.readEvent(data, signal), signal);
    } catch (cause) {
      this.#document.forget();
      throw cause;
    }
    // An id that no header can hold cannot be sent back: everything has to come again then.
    this.#lastEventId = isHeaderValue(id) ? id : undefined;
    this.#liveSinceMs ??= performance.now();
    this.#faults.succeeded();
  }

  /** Polls until the upstream asks for streaming again, or until the next check. */
  #leaveToPolling(): number {
    const { intervalMs, onFailure, faults, random } = this.#options;
    const message = "The upstream asks for polling instead of streaming: flags are polled";
    faults.warn(message);
    onFailure(new UpstreamError(message, { code: "NOT_OFFERED" }));
    return nextDelayMs({ intervalMs: nextCheckMs(intervalMs), failures: 0, random });
  }

  /** An end after a while is how upstreams restart and spread their load, and no fault. */
  #ended(): number {
    const error = new UpstreamError("The upstream ended the stream", { code: "NETWORK" });
    if (!this.#hasLasted()) return this.#failed(error);
    this.#options.onFailure(error);
    return this.#nextDelayMs(error);
  }

  #failed(error: UpstreamError): number {
    this.#faults.failed(error);
    this.#options.onFailure(error);
    return this.#nextDelayMs(error);
  }

  #nextDelayMs({ retryAfterMs = 0 }: UpstreamError): number {
    const { intervalMs, random } = this.#options;
    this.#failures = this.#hasLasted() ? 1 : this.#failures + 1;
    const waitMs = Math.max(retryAfterMs, this.#retryMs);
    return nextDelayMs({ intervalMs, failures: this.#failures, retryAfterMs: waitMs, random });
  }

  /** Whether the connection cost the upstream no more than polling would have. */
  #hasLasted(): boolean {
    const { intervalMs } = this.#options;
    return this.#liveSinceMs !== undefined && performance.now() - this.#liveSinceMs >= intervalMs;
  }
}
