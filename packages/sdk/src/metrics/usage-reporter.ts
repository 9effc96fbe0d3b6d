import { setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { FaultLog } from "../events/fault-log.ts";
import type { FaultSink } from "../events/fault-log.ts";
import type { ApplicationUsage } from "../flag-source.ts";
import type { Identity } from "../identity.ts";
import { Loop } from "../schedule/loop.ts";
import { nextDelayMs } from "../schedule/next-delay.ts";
import type { UpstreamApi } from "../transport/upstream-api.ts";
import { toUpstreamError } from "../transport/upstream-error.ts";
import type { UpstreamError } from "../transport/upstream-error.ts";
import { toBulkBatch, toBulkBatches, toBulkBody, toHour } from "./bulk-batches.ts";
import type { BulkBatch, BulkOrigin } from "./bulk-batches.ts";
import type { BulkSupport } from "./bulk-support.ts";
import { CONCURRENCY, inParallel } from "./in-parallel.ts";
import { toMetricsBody } from "./metrics-body.ts";
import type { MetricsBody } from "./metrics-body.ts";
import { splitUsages } from "./split-usage.ts";
import type { UsageDrops } from "./usage-drops.ts";
import type { UsageStore } from "./usage-store.ts";

export interface UsageReporterOptions {
  readonly api: Pick<UpstreamApi, "sendBulk" | "sendMetrics">;
  readonly store: UsageStore;
  readonly bulk: BulkSupport;
  /** Sends what accompanies usage; throws an `UpstreamError` if the upstream cannot be reached. */
  readonly sendSupplements: (signal: AbortSignal) => Promise<void>;
  readonly drops: UsageDrops;
  readonly identity: Identity;
  readonly intervalMs: number;
  /** Up to this many milliseconds are added to each interval, at random. */
  readonly jitterMs: number;
  readonly faults: FaultSink;
  /** Called for each report, and in bulk for each application, that was delivered. */
  readonly onSent: (body: MetricsBody) => void;
  readonly now: () => number;
  readonly random: () => number;
}

/** How often in a row the upstream may refuse the usage of an application before it is dropped. */
const MAX_REFUSALS = 10;
const TOO_LARGE = 413;
const FLUSH_TIMEOUT_MS = 5000;
const FLUSH_RETRY_MS = 250;

/**
 * Delivers usage at intervals: in bulk if there is more than one application and the upstream accepts
 * bulk reports, else in one request for each application, 20 at a time. What is not delivered is put
 * back and sent later. Usage that the upstream refuses for its content does not hold up the rest: it is
 * sent by itself from then on, and dropped with an error after ten refusals in a row.
 */
export class UsageReporter {
  readonly #options: UsageReporterOptions;
  readonly #faults: FaultLog;
  /** Refusals in a row, by application and quota. */
  readonly #refusals = new Map<string, number>();
  readonly #abort = new AbortController();
  readonly #loop = new Loop(() => this.#round());
  #failures = 0;
  #warnedAtMs = -Infinity;

  constructor(options: UsageReporterOptions) {
    this.#options = options;
    this.#faults = new FaultLog("Sending usage to the upstream", options.faults);
    // Every request under way listens to it: by default, Node warns of more than ten.
    setMaxListeners(2 * CONCURRENCY, this.#abort.signal);
  }

  start(): void {
    this.#loop.start(this.#intervalMs());
  }

  /** Delivers all usage, within five seconds; passing failures are retried until then. */
  async close(): Promise<void> {
    const deadlineMs = performance.now() + FLUSH_TIMEOUT_MS;
    const limit = setTimeout(() => this.#abort.abort(), FLUSH_TIMEOUT_MS);
    // NOTE: a round under way is not aborted: what it is sending may have arrived already.
    await this.#loop.stop();
    await this.#flush(deadlineMs);
    clearTimeout(limit);
    this.#warn();
    const { applications } = this.#options.store;
    if (applications.length > 0)
      this.#options.faults.warn(`Usage was not delivered, applications: ${applications.length}`);
  }

  async #flush(deadlineMs: number): Promise<void> {
    const { signal } = this.#abort;
    const { random } = this.#options;
    for (let attempt = 1; !signal.aborted; attempt += 1) {
      // oxlint-disable-next-line no-await-in-loop -- one attempt after the other
      const error = await this.#sendAll();
      if (error === undefined || !error.isTransient) return;
      const { retryAfterMs } = error;
      const attempts = { intervalMs: FLUSH_RETRY_MS, failures: attempt, retryAfterMs, random };
      const delayMs = nextDelayMs(attempts);
      if (performance.now() + delayMs >= deadlineMs) return;
      // oxlint-disable-next-line no-await-in-loop -- one attempt after the other
      await sleep(delayMs);
    }
  }

  async #round(): Promise<number> {
    const error = await this.#sendAll();
    const { now, intervalMs: minimumMs } = this.#options;
    if (now() - this.#warnedAtMs >= minimumMs) this.#warn();
    if (error === undefined) return this.#intervalMs();
    const { intervalMs, random } = this.#options;
    const { retryAfterMs } = error;
    return nextDelayMs({ intervalMs, failures: this.#failures, retryAfterMs, random });
  }

  #intervalMs(): number {
    const { intervalMs, jitterMs, random } = this.#options;
    return intervalMs + Math.round(jitterMs * random());
  }

  /** Sends until all is sent or the upstream fails; returns the failure. */
  async #sendAll(): Promise<UpstreamError | undefined> {
    try {
      await this.#sendUsage();
      await this.#options.sendSupplements(this.#abort.signal);
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

  async #sendUsage(): Promise<void> {
    const { store, bulk, now } = this.#options;
    const { environment } = bulk;
    if (environment === undefined || store.applications.length < 2) {
      await this.#sendSeparately();
      return;
    }
    try {
      await this.#sendInBulk({ environment, timestamp: toHour(now()) });
    } catch (thrown) {
      if (!bulk.declined(toUpstreamError(thrown).status)) throw thrown;
      await this.#sendSeparately();
    }
  }

  async #sendInBulk(origin: BulkOrigin): Promise<void> {
    const { store } = this.#options;
    const putBack = (usage: ApplicationUsage): void => store.putBack(usage);
    const refused: ApplicationUsage[] = [];
    try {
      const batches = toBulkBatches(this.#takeExceptRefused(refused), origin, putBack);
      await inParallel(batches, (batch) => this.#deliverBatch(batch, origin));
    } catch (thrown) {
      refused.forEach(putBack);
      throw thrown;
    }
    await inParallel(drain(refused), (usage) => this.#deliver(usage)).finally(() =>
      refused.forEach(putBack),
    );
  }

  /** Takes all usage; that of applications which were refused before goes into `refused`. */
  *#takeExceptRefused(refused: ApplicationUsage[]): Generator<ApplicationUsage> {
    for (const usage of this.#options.store.takeAll()) {
      if (this.#refusals.has(idOf(usage))) refused.push(usage);
      else yield usage;
    }
  }

  async #sendSeparately(): Promise<void> {
    const { store, bulk } = this.#options;
    let isAccepted = true;
    try {
      await inParallel(store.takeAll(), async (usage) => {
        if (!(await this.#deliver(usage))) isAccepted = false;
      });
    } catch (thrown) {
      isAccepted = false;
      throw thrown;
    } finally {
      bulk.sentWithout(isAccepted);
    }
  }

  async #deliverBatch(batch: BulkBatch, origin: BulkOrigin): Promise<void> {
    const { api, store, identity, onSent, now } = this.#options;
    try {
      await api.sendBulk(toBulkBody({ metrics: batch.metrics }), this.#abort.signal);
    } catch (thrown) {
      await this.#handleBatchFailure(batch, origin, toUpstreamError(thrown));
      return;
    }
    for (const usage of batch.usages) {
      store.release(usage);
      onSent(toMetricsBody(usage, identity, now()));
    }
  }

  async #handleBatchFailure(
    { usages }: BulkBatch,
    origin: BulkOrigin,
    error: UpstreamError,
  ): Promise<void> {
    if (error.status !== TOO_LARGE) {
      for (const usage of usages) this.#options.store.putBack(usage);
      throw error;
    }
    const halves = splitUsages(usages);
    if (halves === undefined) {
      for (const usage of usages) this.#refuse(usage, error);
      return;
    }
    await this.#deliverBoth(halves, (half) =>
      this.#deliverBatch(toBulkBatch(half, origin), origin),
    );
  }

  /** Delivers usage of one application by itself; returns whether the upstream accepted all of it. */
  async #deliver(usage: ApplicationUsage): Promise<boolean> {
    const { api, store, identity, onSent, now } = this.#options;
    const body = toMetricsBody(usage, identity, now());
    try {
      await api.sendMetrics(body, this.#abort.signal);
    } catch (thrown) {
      return await this.#handleFailure(usage, toUpstreamError(thrown));
    }
    store.release(usage);
    this.#refusals.delete(idOf(usage));
    onSent(body);
    return true;
  }

  async #handleFailure(usage: ApplicationUsage, error: UpstreamError): Promise<boolean> {
    const halves = error.status === TOO_LARGE ? splitUsages([usage]) : undefined;
    if (halves !== undefined) {
      let isAccepted = true;
      await this.#deliverBoth(halves, async ([half]) => {
        if (half !== undefined && !(await this.#deliver(half))) isAccepted = false;
      });
      return isAccepted;
    }
    if (!error.isRefusal) {
      this.#options.store.putBack(usage);
      throw error;
    }
    this.#refuse(usage, error);
    return false;
  }

  async #deliverBoth(
    [first, second]: readonly [readonly ApplicationUsage[], readonly ApplicationUsage[]],
    deliver: (half: readonly ApplicationUsage[]) => Promise<void>,
  ): Promise<void> {
    try {
      await deliver(first);
    } catch (error) {
      for (const usage of second) this.#options.store.putBack(usage);
      throw error;
    }
    await deliver(second);
  }

  #refuse(usage: ApplicationUsage, error: UpstreamError): void {
    const { store, faults, drops } = this.#options;
    this.#faults.failed(error);
    const refusals = (this.#refusals.get(idOf(usage)) ?? 0) + 1;
    if (refusals < MAX_REFUSALS) {
      this.#refusals.set(idOf(usage), refusals);
      store.putBack(usage);
      return;
    }
    this.#refusals.delete(idOf(usage));
    store.release(usage);
    const flags = Object.keys(usage.features).length;
    drops.note("rejected", flags);
    const subject = `Usage of application ${JSON.stringify(usage.appName)} (flags: ${flags})`;
    faults.error(new Error(`${subject} was dropped: refused ${refusals} times`, { cause: error }));
  }

  #warn(): void {
    const { store, drops, faults, now } = this.#options;
    const refused = store.takeRefused();
    if (refused > 0) faults.warn(`Too much usage is waiting, evaluations not counted: ${refused}`);
    if (drops.warn(faults) || refused > 0) this.#warnedAtMs = now();
  }
}

function idOf({ quotaId, appName }: ApplicationUsage): string {
  return JSON.stringify([quotaId, appName]);
}

/** Takes elements out of a list one by one. */
function* drain<Element>(list: Element[]): Generator<Element> {
  for (let next = list.shift(); next !== undefined; next = list.shift()) yield next;
}
