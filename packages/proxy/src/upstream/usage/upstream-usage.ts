import type { Snapshot } from "flags-engine";
import type { Settings } from "flags-sdk/neutral";
import { AcceptedUsage } from "./accepted-usage.ts";
import type { ApplicationRegistration, ApplicationUsage } from "./application-usage.ts";
import { UsageSpool, type UsageSpoolState } from "./spool/usage-spool.ts";
import { namesIn } from "./known-names.ts";
import type { DropKind } from "./usage-drops.ts";
import { UsageReporter } from "./usage-reporter.ts";
import { UsageSender, type UsageSenderOptions } from "./usage-sender.ts";

/** Where usage, impact metrics and registrations are kept until they are delivered. */
export interface UsageSpoolOptions {
  /** The directory, created if missing. No other process may use it. */
  readonly directory: string;
  /** Limit of the size of its files. A quarter of it limits the usage in memory, unless that is more than 32 MiB. */
  readonly maxBytes: number;
}

interface UpstreamUsageOptions extends Omit<UsageSenderOptions, "accepted" | "credentials"> {
  readonly settings: Settings;
  /** Returns the flags that the upstream has sent. */
  readonly snapshot: () => Snapshot | undefined;
  readonly onDropped: (kind: DropKind, count: number) => void;
  /** @default memory */
  readonly spool: UsageSpoolOptions | undefined;
}

/** Estimated memory of everything that is pending. */
const MAX_BYTES = 32 * 1024 * 1024;

/** Stores the usage, impact metrics and registrations of applications until the upstream has accepted them. */
export class UpstreamUsage {
  readonly #settings: Settings;
  readonly #accepted: AcceptedUsage;
  /** Undefined if usage is not reported. */
  readonly #reporter: UsageReporter | undefined;
  /** Undefined if usage is only in memory. */
  readonly #spool: UsageSpool | undefined;
  #isClosed = false;

  constructor(options: UpstreamUsageOptions) {
    const { settings, events, spool, snapshot, onDropped } = options;
    this.#settings = settings;
    // A copy in the spool can be 50% larger, and is next to an older copy and the records since then.
    const maxBytes = Math.min(MAX_BYTES, (spool?.maxBytes ?? Infinity) / 4);
    const accepted = new AcceptedUsage({
      maxBytes,
      isKnown: namesIn(snapshot),
      onDropped,
      journal: (kind, content) => this.#spool?.record(kind, content),
    });
    this.#accepted = accepted;
    if (!settings.isMetricsEnabled) return;
    if (spool !== undefined) {
      const onRestored = (): void => this.#reporter?.wake();
      this.#spool = new UsageSpool({ ...spool, accepted, warn: events.warn, onRestored });
    }
    this.#reporter = new UsageReporter({
      sender: new UsageSender({ ...options, accepted, credentials: settings.credentials }),
      accepted,
      isDurable: () => this.#spool?.state.isWritable === true,
      intervalMs: settings.metricsIntervalMs,
      jitterMs: settings.metricsJitterMs,
      events,
    });
  }

  /** Undefined if usage is only in memory. */
  get spoolState(): UsageSpoolState | undefined {
    return this.#spool?.state;
  }

  start(): void {
    this.#spool?.start();
    this.#reporter?.start();
  }

  /** Sends all usage now. */
  send(): void {
    this.#reporter?.wake();
  }

  /**
   * Stops accepting usage of other applications, and delivers all usage within two seconds. Usage
   * that could not be delivered stays in the spool.
   */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#reporter?.close();
    await this.#spool?.close();
  }

  /**
   * Adds usage of any application. Returns true if it was accepted, or if the client does not report
   * usage; false if a limit is exceeded, or after `close`. With a spool, returns a promise that resolves
   * when the usage is in the spool.
   */
  report(usage: ApplicationUsage): boolean | Promise<boolean> {
    if (!this.#settings.isMetricsEnabled) return true;
    return this.#spool === undefined ? this.#add(usage) : this.#addDurably(usage, this.#spool);
  }

  /**
   * Adds a registration to be forwarded. Has no effect if the client does not register. With a spool,
   * resolves when the registration is in the spool.
   */
  async register(registration: ApplicationRegistration): Promise<void> {
    if (!this.#settings.isRegistrationEnabled || this.#isClosed) return;
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
}
