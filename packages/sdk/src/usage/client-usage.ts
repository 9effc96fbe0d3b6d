import type { Emitter, FlagsClientEvents } from "../events.ts";
import type { ApplicationRegistration, ApplicationUsage, FeatureUsage } from "../flag-source.ts";
import type { Identity } from "../identity.ts";
import type { Settings } from "../options/resolve-options.ts";
import type { EventSink } from "../transport/failure-log.ts";
import type { CredentialSettings } from "../transport/headers.ts";
import { RetryingTask } from "../transport/retrying-task.ts";
import type { UpstreamApi } from "../transport/upstream-api.ts";
import { toRegistrationBody } from "../transport/wire-bodies.ts";
import { BulkSupport } from "./bulk-report.ts";
import { FairBudget, DEFAULT_QUOTA, REPORTED_QUOTA, USAGE_LIMITS } from "./usage-limits.ts";
import { ImpactMetricsBuffer } from "./impact-metrics.ts";
import type { IsKnown } from "./known-names.ts";
import { RegistrationBuffer } from "./registration-buffer.ts";
import { ImpactAndRegistrationReporter } from "./impact-and-registration-reporter.ts";
import { UsageDrops } from "./usage-drops.ts";
import { PendingData } from "./spool/pending-data.ts";
import { UsageSpool } from "./spool/usage-spool.ts";
import type { UsageSpoolState } from "./spool/usage-spool.ts";
import { UsageReporter } from "./usage-reporter.ts";
import { UsageBuffer } from "./usage-buffer.ts";

/** For durations, since the system clock can be changed. */
const monotonicMs = (): number => performance.now();

interface ClientUsageOptions {
  readonly settings: Settings;
  readonly identity: Identity;
  readonly emitter: Emitter<FlagsClientEvents>;
  readonly events: EventSink;
  readonly api: UpstreamApi;
  readonly isKnown: IsKnown;
  readonly now: () => number;
  readonly random: () => number;
}

/**
 * The usage of a client: registers it, and stores usage, impact metrics and registrations until they
 * are delivered.
 */
export class ClientUsage {
  readonly #settings: Settings;
  readonly #buffer: UsageBuffer;
  readonly #impactMetrics: ImpactMetricsBuffer;
  readonly #registrations: RegistrationBuffer;
  readonly #drops: UsageDrops;
  /** Undefined if usage is not reported. */
  readonly #reporter: UsageReporter | undefined;
  /** Undefined if usage is only in memory. */
  readonly #spool: UsageSpool | undefined;
  /** Undefined if the client does not register. */
  readonly #registration: RetryingTask | undefined;
  #isClosed = false;

  constructor(options: ClientUsageOptions) {
    const { settings, emitter, events, isKnown, now } = options;
    const { usageSpool } = settings;
    this.#settings = settings;
    const memory = new FairBudget(memoryLimit(usageSpool?.maxBytes));
    this.#drops = new UsageDrops((kind, count) => emitter.emit("usageDropped", kind, count));
    this.#buffer = new UsageBuffer({
      now,
      memory,
      isKnown,
      onDropped: (kind, count) => this.#drops.add(kind, count),
      journal: {
        add: (usage) => this.#spool?.record("add", { usage }),
        remove: (usage) => this.#spool?.record("remove", { usage }),
      },
    });
    this.#impactMetrics = new ImpactMetricsBuffer(
      memory,
      USAGE_LIMITS.impactSeries,
      (kind, quotaId, impactMetrics) => this.#spool?.record(kind, { quotaId, impactMetrics }),
    );
    this.#registrations = new RegistrationBuffer({
      memory,
      perQuota: USAGE_LIMITS.registrations,
      monotonicMs,
      journal: {
        add: (registration) => this.#spool?.record("add", { registration }),
        remove: (registration) => this.#spool?.record("remove", { registration }),
      },
    });
    if (settings.isMetricsEnabled && usageSpool !== undefined) {
      this.#spool = new UsageSpool({
        ...usageSpool,
        pending: new PendingData({
          usage: this.#buffer,
          impactMetrics: this.#impactMetrics,
          registrations: this.#registrations,
        }),
        warn: events.warn,
        onRestored: () => this.#reporter?.wake(),
      });
    }
    if (settings.isMetricsEnabled) this.#reporter = this.#createReporter(options);
    if (settings.isRegistrationEnabled) this.#registration = createRegistration(options);
  }

  /** Undefined if usage is only in memory. */
  get spoolState(): UsageSpoolState | undefined {
    return this.#spool?.state;
  }

  start(): void {
    this.#spool?.start();
    this.#registration?.start();
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
    await this.#registration?.stop();
    await this.#reporter?.close();
    await this.#spool?.close();
  }

  /** Counts usage of one flag by the application of this client. */
  count(name: string, usage: FeatureUsage): void {
    const { appName, isMetricsEnabled } = this.#settings;
    if (isMetricsEnabled) this.#buffer.count(appName, name, usage);
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
    if (!this.#registrations.add(registration)) this.#drops.add("registration", 1);
    await this.#spool?.flushed();
  }

  #add(usage: ApplicationUsage): boolean {
    const { quotaId = this.#spool === undefined ? DEFAULT_QUOTA : REPORTED_QUOTA } = usage;
    if (this.#isClosed || !this.#buffer.add({ ...usage, quotaId })) return false;
    this.#drops.add("impact_metric", this.#impactMetrics.add(quotaId, usage.impactMetrics ?? []));
    return true;
  }

  async #addDurably(usage: ApplicationUsage, spool: UsageSpool): Promise<boolean> {
    // oxlint-disable-next-line no-await-in-loop -- other reports may have been recorded in the meantime
    while (spool.isBusy) await spool.flushed();
    const isAdded = this.#add(usage);
    if (isAdded) await spool.flushed();
    return isAdded;
  }

  #createReporter(options: ClientUsageOptions): UsageReporter {
    const { settings, identity, emitter, events, api, isKnown, now, random } = options;
    const bulk = new BulkSupport(environmentOf(settings.credentials), monotonicMs);
    const drops = this.#drops;
    const impactAndRegistrations = new ImpactAndRegistrationReporter({
      api,
      bulk,
      impactMetrics: this.#impactMetrics,
      registrations: this.#registrations,
      drops,
      identity,
      now,
    });
    return new UsageReporter({
      api,
      buffer: this.#buffer,
      bulk,
      sendImpactAndRegistrations: (signal) => impactAndRegistrations.send(signal),
      spool: this.#spool,
      drops,
      isKnown,
      identity,
      intervalMs: settings.metricsIntervalMs,
      jitterMs: settings.metricsJitterMs,
      onSent: (body) => emitter.emit("sent", body),
      events,
      now,
      monotonicMs,
      random,
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
}: CredentialSettings): string | undefined {
  if (customHeadersFunction !== undefined) return undefined;
  return TOKEN.exec(customHeaders["authorization"] ?? token ?? "")?.[1];
}

/** Creates the task that registers the client once, with retries. */
function createRegistration(options: ClientUsageOptions): RetryingTask {
  const { settings, identity, emitter, events, api, now, random } = options;
  const body = toRegistrationBody({
    identity,
    customStrategies: settings.strategies.map(({ name }) => name),
    startedAtMs: now(),
    metricsIntervalMs: settings.metricsIntervalMs,
  });
  return new RetryingTask({
    subject: "Registering with the upstream",
    attempt: async (signal) => {
      await api.register(body, signal);
      emitter.emit("registered", body);
    },
    intervalMs: body.interval,
    isRepeated: false,
    events,
    random,
  });
}
