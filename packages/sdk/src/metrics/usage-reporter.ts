import { FaultLog } from "../events/fault-log.ts";
import type { FaultSink } from "../events/fault-log.ts";
import type { ApplicationUsage } from "../flag-source.ts";
import type { Identity } from "../identity.ts";
import { Loop } from "../schedule/loop.ts";
import { nextDelayMs } from "../schedule/next-delay.ts";
import type { UpstreamApi } from "../transport/upstream-api.ts";
import { toUpstreamError } from "../transport/upstream-error.ts";
import type { UpstreamError } from "../transport/upstream-error.ts";
import { toMetricsBody } from "./metrics-body.ts";
import type { MetricsBody } from "./metrics-body.ts";
import { splitUsage } from "./split-usage.ts";
import type { UsageStore } from "./usage-store.ts";

export interface UsageReporterOptions {
  readonly api: Pick<UpstreamApi, "sendMetrics">;
  readonly store: UsageStore;
  readonly identity: Identity;
  readonly intervalMs: number;
  /** Up to so much is added to each interval, at random. */
  readonly jitterMs: number;
  readonly faults: FaultSink;
  readonly onSent: (body: MetricsBody) => void;
  readonly now: () => number;
  readonly random: () => number;
}

/** How often in a row a report may be refused for what it says before it is given up. */
const MAX_REFUSALS = 10;
const REFUSALS: ReadonlySet<number | undefined> = new Set([400, 413, 422]);
const FLUSH_TIMEOUT_MS = 5000;

/**
 * Delivers usage at intervals, one report per application. What is not delivered is put back and
 * sent later. A report that the upstream refuses for its content does not hold up the others, and
 * is dropped, with an error, after ten refusals in a row.
 */
export class UsageReporter {
  readonly #options: UsageReporterOptions;
  readonly #faults: FaultLog;
  readonly #refusals = new Map<string, number>();
  readonly #abort = new AbortController();
  readonly #loop = new Loop(() => this.#round());
  #failures = 0;
  #warnedAtMs = -Infinity;

  constructor(options: UsageReporterOptions) {
    this.#options = options;
    this.#faults = new FaultLog("Sending usage to the upstream", options.faults);
  }

  start(): void {
    this.#loop.start(this.#intervalMs());
  }

  /** Sends what is held, once, within five seconds. */
  async close(): Promise<void> {
    const limit = setTimeout(() => this.#abort.abort(), FLUSH_TIMEOUT_MS);
    // NOTE: a round under way is not aborted: what it is sending may have arrived already.
    await this.#loop.stop();
    await this.#sendAll();
    clearTimeout(limit);
    this.#warnOfRefused();
    const { applications } = this.#options.store;
    if (applications.length > 0)
      this.#options.faults.warn(`Usage was not delivered, applications: ${applications.length}`);
  }

  async #round(): Promise<number> {
    const error = await this.#sendAll();
    const { now, intervalMs: minimumMs } = this.#options;
    if (now() - this.#warnedAtMs >= minimumMs) this.#warnOfRefused();
    if (error === undefined) return this.#intervalMs();
    const { intervalMs, random } = this.#options;
    const { retryAfterMs } = error;
    return nextDelayMs({ intervalMs, failures: this.#failures, retryAfterMs, random });
  }

  #intervalMs(): number {
    const { intervalMs, jitterMs, random } = this.#options;
    return intervalMs + Math.round(jitterMs * random());
  }

  /** Sends until all is sent or the upstream fails; gives the failure. */
  async #sendAll(): Promise<UpstreamError | undefined> {
    try {
      for (const appName of this.#options.store.applications) await this.#sendOne(appName);
    } catch (thrown) {
      const error = toUpstreamError(thrown);
      this.#failures += 1;
      this.#faults.failed(error);
      return error;
    }
    this.#failures = 0;
    if (this.#refusals.size === 0) this.#faults.succeeded();
    return undefined;
  }

  async #sendOne(appName: string): Promise<void> {
    const usage = this.#options.store.take(appName);
    if (usage === undefined) return;
    const refusals = this.#refusals.get(appName) ?? 0;
    const isAccepted = await this.#deliver(usage);
    if (isAccepted || refusals + 1 >= MAX_REFUSALS) this.#refusals.delete(appName);
    else this.#refusals.set(appName, refusals + 1);
  }

  /** Whether the upstream took all of it; throws when it could not be asked. */
  async #deliver(usage: ApplicationUsage): Promise<boolean> {
    const { api, store, identity, onSent, now } = this.#options;
    const body = toMetricsBody(usage, identity, now());
    try {
      await api.sendMetrics(body, this.#abort.signal);
    } catch (thrown) {
      return await this.#handleFault(usage, toUpstreamError(thrown));
    }
    store.release(usage);
    onSent(body);
    return true;
  }

  async #handleFault(usage: ApplicationUsage, error: UpstreamError): Promise<boolean> {
    const halves = error.status === 413 ? splitUsage(usage) : undefined;
    if (halves !== undefined) return await this.#deliverBoth(...halves);
    if (!REFUSALS.has(error.status)) {
      this.#options.store.putBack(usage);
      throw error;
    }
    this.#refuse(usage, error);
    return false;
  }

  async #deliverBoth(first: ApplicationUsage, second: ApplicationUsage): Promise<boolean> {
    let isAccepted: boolean;
    try {
      isAccepted = await this.#deliver(first);
    } catch (error) {
      this.#options.store.putBack(second);
      throw error;
    }
    return (await this.#deliver(second)) && isAccepted;
  }

  #refuse(usage: ApplicationUsage, error: UpstreamError): void {
    const { store, faults } = this.#options;
    this.#faults.failed(error);
    const refusals = (this.#refusals.get(usage.appName) ?? 0) + 1;
    if (refusals < MAX_REFUSALS) {
      store.putBack(usage);
      return;
    }
    store.release(usage);
    const flags = Object.keys(usage.features).length;
    const subject = `Usage of application ${JSON.stringify(usage.appName)} (flags: ${flags})`;
    faults.error(new Error(`${subject} was dropped: refused ${refusals} times`, { cause: error }));
  }

  #warnOfRefused(): void {
    const { store, faults, now } = this.#options;
    const refused = store.takeRefused();
    if (refused === 0) return;
    this.#warnedAtMs = now();
    faults.warn(`Usage found no room and was not counted, evaluations: ${refused}`);
  }
}
