import { setMaxListeners } from "node:events";
import type { UpstreamError } from "flags-sdk";
import { Loop, sendTheRest } from "flags-sdk/internal";
import { describeCount, type EventSink, nextDelayMs, toUpstreamError } from "flags-sdk/neutral";
import type { AcceptedUsage } from "./accepted-usage.ts";
import { groupByApplication } from "./usage-buffer.ts";
import { MAX_CONCURRENT_REQUESTS, type UsageSender } from "./usage-sender.ts";

export interface UsageReporterOptions {
  readonly sender: UsageSender;
  readonly accepted: AcceptedUsage;
  /** Whether what is not delivered survives the end of the process. */
  readonly isDurable: () => boolean;
  readonly intervalMs: number;
  /** Maximum random delay added to each interval, in milliseconds. */
  readonly jitterMs: number;
  readonly events: EventSink;
}

/** Sends usage, impact metrics and registrations at intervals, and the rest when it is closed. */
export class UsageReporter {
  readonly #options: UsageReporterOptions;
  readonly #abort = new AbortController();
  readonly #loop = new Loop(
    () => this.#report(),
    (error) => this.#options.events.error(toUpstreamError(error)),
  );
  #loggedAtMs = -Infinity;

  constructor(options: UsageReporterOptions) {
    this.#options = options;
    // Every pending request listens to the signal; by default, Node warns about more than ten listeners.
    setMaxListeners(2 * MAX_CONCURRENT_REQUESTS, this.#abort.signal);
  }

  /** Starts reporting after the first interval. */
  start(): void {
    this.#loop.start(this.#intervalMs());
  }

  /** Sends everything now. */
  wake(): void {
    this.#loop.wake();
  }

  /** Delivers everything within two seconds; retries transient failures until then. */
  async close(): Promise<void> {
    const { sender, accepted, events, isDurable } = this.#options;
    const { signal } = this.#abort;
    const sendAll = (): Promise<UpstreamError | undefined> => sender.sendAll(signal, true);
    await sendTheRest({ loop: this.#loop, abort: this.#abort, sendAll, random: Math.random });
    this.#logDrops();
    const count = groupByApplication(accepted.usage.values()).length;
    if (count === 0) return;
    const consequence = isDurable() ? "; the next start will deliver it from the spool" : "";
    events.warn(`Usage of ${describeCount(count, "application")} was not delivered${consequence}`);
  }

  async #report(): Promise<number> {
    const { sender, intervalMs } = this.#options;
    const error = await sender.sendAll(this.#abort.signal);
    if (performance.now() - this.#loggedAtMs >= intervalMs) this.#logDrops();
    if (error === undefined) return this.#intervalMs();
    const { failures } = sender;
    const { retryAfterMs } = error;
    return nextDelayMs({ intervalMs, failures, retryAfterMs, random: Math.random });
  }

  #intervalMs(): number {
    const { intervalMs, jitterMs } = this.#options;
    return intervalMs + Math.round(jitterMs * Math.random());
  }

  /** Logs what was dropped since the last call. */
  #logDrops(): void {
    const { accepted, events } = this.#options;
    if (accepted.drops.logSummary(events.warn)) this.#loggedAtMs = performance.now();
  }
}
