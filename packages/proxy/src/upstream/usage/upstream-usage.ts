import { setMaxListeners } from "node:events";
import type { UpstreamError } from "flags-sdk";
import { Loop, sendTheRest } from "flags-sdk/internal";
import { describeCount, nextDelayMs, type Settings, toUpstreamError } from "flags-sdk/neutral";
import { AcceptedUsage } from "./accepted-usage.ts";
import type { ApplicationRegistration, ApplicationUsage } from "./application-usage.ts";
import type { IsKnown } from "./known-names.ts";
import { UsageSpool, type UsageSpoolState } from "./spool/usage-spool.ts";
import { groupByApplication } from "./usage-buffer.ts";
import type { DropKind } from "./usage-drops.ts";
import { MAX_CONCURRENT_REQUESTS, UsageSender, type UsageSenderOptions } from "./usage-sender.ts";

export interface UsageSpoolOptions {
  /** The directory, created if missing. No other process may use it. */
  readonly directory: string;
  /** Limit of the size of its files. A quarter of it limits the usage in memory, unless that is more than 32 MiB. */
  readonly maxBytes: number;
}

interface UpstreamUsageOptions extends Omit<UsageSenderOptions, "accepted" | "credentials"> {
  readonly settings: Settings;
  readonly isKnown: IsKnown;
  readonly onDropped: (kind: DropKind, count: number) => void;
  /** @default memory */
  readonly spool?: UsageSpoolOptions | undefined;
}

/** Estimated memory of everything that is pending. */
const MAX_BYTES = 32 * 1024 * 1024;

/** Stores usage, impact metrics and registrations, sends them at intervals, and the rest when it is closed. */
export class UpstreamUsage {
  readonly #options: UpstreamUsageOptions;
  readonly #accepted: AcceptedUsage;
  readonly #sender: UsageSender;
  /** Undefined if usage is only in memory. */
  readonly #spool: UsageSpool | undefined;
  readonly #abort = new AbortController();
  readonly #loop = new Loop(
    () => this.#sendAll(),
    (error) => this.#options.events.error(toUpstreamError(error)),
  );
  #loggedAtMs = -Infinity;
  #isClosed = false;

  constructor(options: UpstreamUsageOptions) {
    const { settings, events, spool, isKnown, onDropped } = options;
    this.#options = options;
    // Every pending request listens to the signal; by default, Node warns about more than ten listeners.
    setMaxListeners(2 * MAX_CONCURRENT_REQUESTS, this.#abort.signal);
    this.#accepted = new AcceptedUsage({
      // A copy in the spool can be 50% larger, and is next to an older copy and the records since then.
      maxBytes: Math.min(MAX_BYTES, (spool?.maxBytes ?? Infinity) / 4),
      isKnown,
      onDropped,
      journal: (kind, content) => this.#spool?.record(kind, content),
    });
    const accepted = this.#accepted;
    this.#sender = new UsageSender({ ...options, accepted, credentials: settings.credentials });
    if (!settings.isMetricsEnabled || spool === undefined) return;
    const onRestored = (): void => this.send();
    this.#spool = new UsageSpool({ ...spool, accepted, warn: events.warn, onRestored });
  }

  /** Undefined if usage is only in memory. */
  get spoolState(): UsageSpoolState | undefined {
    return this.#spool?.state;
  }

  start(): void {
    if (!this.#options.settings.isMetricsEnabled) return;
    this.#spool?.start();
    this.#loop.start(this.#intervalMs());
  }

  /** Sends all usage now. */
  send(): void {
    this.#loop.wake();
  }

  /** Stops accepting data, and delivers all within two seconds. What could not be delivered stays in the spool. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (!this.#options.settings.isMetricsEnabled) return;
    const sendAll = (): Promise<UpstreamError | undefined> =>
      this.#sender.sendAll(this.#abort.signal, true);
    await sendTheRest({ loop: this.#loop, abort: this.#abort, sendAll });
    this.#logDrops();
    const count = groupByApplication(this.#accepted.usage.values()).length;
    if (count > 0) {
      const isDurable = this.#spool?.state.isWritable === true;
      const consequence = isDurable ? "; the next start will deliver it from the spool" : "";
      this.#options.events.warn(
        `Usage of ${describeCount(count, "application")} was not delivered${consequence}`,
      );
    }
    await this.#spool?.close();
  }

  /**
   * Returns true if usage was accepted, or is not reported; false if a limit is exceeded, or after `close`. With a spool,
   * resolves when it is there.
   */
  report(usage: ApplicationUsage): boolean | Promise<boolean> {
    if (!this.#options.settings.isMetricsEnabled) return true;
    return this.#spool === undefined ? this.#add(usage) : this.#addDurably(usage, this.#spool);
  }

  /** With a spool, resolves when the registration is there. */
  async register(registration: ApplicationRegistration): Promise<void> {
    if (!this.#options.settings.isRegistrationEnabled || this.#isClosed) return;
    this.#accepted.register(registration);
    await this.#spool?.flushed();
  }

  #add(usage: ApplicationUsage): boolean {
    return !this.#isClosed && this.#accepted.add(usage);
  }

  async #addDurably(usage: ApplicationUsage, spool: UsageSpool): Promise<boolean> {
    // oxlint-disable-next-line no-await-in-loop -- other reports may have been recorded in the meantime
    while (spool.isBusy) await spool.flushed();
    const isAdded = this.#add(usage);
    if (isAdded) await spool.flushed();
    return isAdded;
  }

  async #sendAll(): Promise<number> {
    const intervalMs = this.#options.settings.metricsIntervalMs;
    const error = await this.#sender.sendAll(this.#abort.signal);
    if (performance.now() - this.#loggedAtMs >= intervalMs) this.#logDrops();
    if (error === undefined) return this.#intervalMs();
    const { failures } = this.#sender;
    const { retryAfterMs } = error;
    return nextDelayMs({ intervalMs, failures, retryAfterMs });
  }

  #intervalMs(): number {
    const { metricsIntervalMs, metricsJitterMs } = this.#options.settings;
    return metricsIntervalMs + Math.round(metricsJitterMs * Math.random());
  }

  #logDrops(): void {
    const hasLogged = this.#accepted.drops.logSummary(this.#options.events.warn);
    if (hasLogged) this.#loggedAtMs = performance.now();
  }
}
