import type { Snapshot } from "flags-engine";
import type { MetricsBody } from "flags-sdk";
import type { UpstreamConnection } from "flags-sdk/internal";
import type { EventSink, Settings } from "flags-sdk/neutral";
import { FairShare } from "flags-server-kit/neutral";
import type { ApplicationRegistration, ApplicationUsage } from "./application-usage.ts";
import { BulkSupport } from "./bulk-report.ts";
import { ImpactAndRegistrationReporter } from "./impact-and-registration-reporter.ts";
import { hasName, type IsKnown } from "./known-names.ts";
import { PendingData } from "./pending-data.ts";
import { UsageSpool, type UsageSpoolState } from "./spool/usage-spool.ts";
import { type DropKind, UsageDrops } from "./usage-drops.ts";
import { DEFAULT_QUOTA, USAGE_LIMITS } from "./usage-limits.ts";
import { UsageReporter } from "./usage-reporter.ts";

/** For durations, since the system clock can be changed. */
const monotonicMs = (): number => performance.now();

/** Where usage, impact metrics and registrations are kept until they are delivered. */
export interface UsageSpoolOptions {
  /** The directory, created if missing. No other process may use it. */
  readonly directory: string;
  /** Limit of the size of its files. A quarter of it limits the usage in memory, unless that is more than 32 MiB. */
  readonly maxBytes: number;
}

interface UpstreamUsageOptions extends Pick<UpstreamConnection, "api" | "identity"> {
  readonly settings: Settings;
  readonly events: EventSink;
  /** @default memory */
  readonly spool: UsageSpoolOptions | undefined;
  /** Returns the flags that the upstream has sent. */
  readonly snapshot: () => Snapshot | undefined;
  /** Called for each delivered report; after a bulk report, once for each application. */
  readonly onSent: (report: MetricsBody) => void;
  readonly onDropped: (kind: DropKind, count: number) => void;
}

/** Stores the usage, impact metrics and registrations of applications until the upstream has accepted them. */
export class UpstreamUsage {
  readonly #settings: Settings;
  readonly #pending: PendingData;
  readonly #drops: UsageDrops;
  /** Undefined if usage is not reported. */
  readonly #reporter: UsageReporter | undefined;
  /** Undefined if usage is only in memory. */
  readonly #spool: UsageSpool | undefined;
  #isClosed = false;

  constructor(options: UpstreamUsageOptions) {
    const { settings, events, spool, snapshot } = options;
    this.#settings = settings;
    const isKnown: IsKnown = (feature, variant) => {
      const current = snapshot();
      // Before the first data, every flag may exist.
      return current === undefined || hasName(current, feature, variant);
    };
    this.#drops = new UsageDrops(options.onDropped);
    this.#pending = new PendingData({
      memory: new FairShare(memoryLimit(spool?.maxBytes)),
      isKnown,
      onDropped: (kind, count) => this.#drops.add(kind, count),
      journal: (kind, content) => this.#spool?.record(kind, content),
    });
    if (!settings.isMetricsEnabled) return;
    if (spool !== undefined) {
      this.#spool = new UsageSpool({
        ...spool,
        pending: this.#pending,
        warn: events.warn,
        onRestored: () => this.#reporter?.wake(),
      });
    }
    this.#reporter = this.#createReporter(options, isKnown);
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
    if (!this.#pending.registrations.add(registration)) this.#drops.add("registration", 1);
    await this.#spool?.flushed();
  }

  #add(usage: ApplicationUsage): boolean {
    const { quotaId = DEFAULT_QUOTA } = usage;
    if (this.#isClosed || !this.#pending.usage.add(usage)) return false;
    this.#drops.add(
      "impact_metric",
      this.#pending.impactMetrics.add(quotaId, usage.impactMetrics ?? []),
    );
    return true;
  }

  async #addDurably(usage: ApplicationUsage, spool: UsageSpool): Promise<boolean> {
    // oxlint-disable-next-line no-await-in-loop -- other reports may have been recorded in the meantime
    while (spool.isBusy) await spool.flushed();
    const isAdded = this.#add(usage);
    if (isAdded) await spool.flushed();
    return isAdded;
  }

  #createReporter(options: UpstreamUsageOptions, isKnown: IsKnown): UsageReporter {
    const { settings, identity, events, api, onSent } = options;
    const now = Date.now;
    const bulk = new BulkSupport(environmentOf(settings.credentials), monotonicMs);
    const drops = this.#drops;
    const impactAndRegistrations = new ImpactAndRegistrationReporter({
      api,
      bulk,
      impactMetrics: this.#pending.impactMetrics,
      registrations: this.#pending.registrations,
      drops,
      identity,
      now,
    });
    return new UsageReporter({
      api,
      buffer: this.#pending.usage,
      bulk,
      sendImpactAndRegistrations: (signal) => impactAndRegistrations.send(signal),
      spool: this.#spool,
      drops,
      isKnown,
      identity,
      intervalMs: settings.metricsIntervalMs,
      jitterMs: settings.metricsJitterMs,
      onSent,
      events,
      now,
      monotonicMs,
      random: Math.random,
    });
  }
}

/**
 * Returns the memory for usage. A copy of it in the spool can be 50% larger, and is next to an older copy and
 * the records since then.
 */
function memoryLimit(spoolMaxBytes = Infinity): number {
  return Math.min(USAGE_LIMITS.bytes, spoolMaxBytes / 4);
}

// A token has the form `project:environment.secret`. If there is more than one dot after the colon
// it is ambiguous, because the name of an environment may contain a dot.
const TOKEN = /^(?:Bearer\s+)?[^:]+:([^:.]+)\.[^:.]+$/i;

/**
 * Returns the environment of the API token; undefined if it is missing or ambiguous, or if a function may replace the token
 * in each request.
 */
function environmentOf({
  token,
  customHeaders,
  customHeadersFunction,
}: Settings["credentials"]): string | undefined {
  if (customHeadersFunction !== undefined) return undefined;
  return TOKEN.exec(customHeaders["authorization"] ?? token ?? "")?.[1];
}
