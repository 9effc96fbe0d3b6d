import { setMaxListeners } from "node:events";
import type { MetricsBody, UpstreamError } from "flags-sdk";
import type { ApplicationUsage } from "./application-usage.ts";
import { Loop, sendTheRest, type UpstreamConnection } from "flags-sdk/internal";
import {
  describeCount,
  type EventSink,
  FailureLog,
  forEachConcurrently,
  nextDelayMs,
  toMetricsBody,
  toUpstreamError,
} from "flags-sdk/neutral";
import {
  splitToFit,
  splitUsages,
  toBulkBatch,
  toBulkBatches,
  toBulkBody,
  toHour,
} from "./bulk-report.ts";
import type { BulkBatch, BulkOrigin, BulkSupport } from "./bulk-report.ts";
import type { UsageSpool } from "./spool/usage-spool.ts";
import type { IsKnown } from "./known-names.ts";
import { Rejections, TOO_LARGE } from "./rejections.ts";
import type { Rejected } from "./rejections.ts";
import type { UsageDrops } from "./usage-drops.ts";
import { MAX_CONCURRENT_REQUESTS } from "./usage-limits.ts";
import type { UsageBuffer } from "./usage-buffer.ts";

export interface UsageReporterOptions {
  readonly api: Pick<UpstreamConnection["api"], "sendBulk" | "sendMetrics">;
  readonly buffer: UsageBuffer;
  readonly bulk: BulkSupport;
  /** Called after the usage was sent; throws an `UpstreamError` if the upstream cannot be reached. */
  readonly sendImpactAndRegistrations: (signal: AbortSignal) => Promise<void>;
  /** Contains the usage in the buffer. @default usage is only in memory */
  readonly spool?: Pick<UsageSpool, "compact" | "state"> | undefined;
  readonly drops: UsageDrops;
  readonly isKnown: IsKnown;
  readonly identity: UpstreamConnection["identity"];
  readonly intervalMs: number;
  /** Maximum random delay added to each interval, in milliseconds. */
  readonly jitterMs: number;
  readonly events: EventSink;
  /** Called for each delivered report; after a bulk report, once for each application. */
  readonly onSent: (body: MetricsBody) => void;
  readonly now: () => number;
  /** A monotonic clock. */
  readonly monotonicMs: () => number;
  readonly random: () => number;
}

/** Each of these is a request at least: names of applications that clients invent must not cause thousands. */
const MAX_SEPARATE_APPLICATIONS = 500;

/**
 * Delivers usage at intervals: in bulk if there are several applications and the upstream accepts
 * bulk reports; otherwise application by application, up to 20 at a time and 500 per interval. Usage
 * that could not be delivered stays in the buffer and is sent later.
 *
 * Usage that the upstream rejects for its content does not delay other usage: rejected bulk reports are divided until
 * the application is found. From then on its usage is sent separately, and unknown flags and variants separately from
 * those that the upstream sent. A flag that is rejected while others of its application are accepted is dropped with a
 * warning. If all known flags of an application are rejected, or all unknown ones, they are dropped after ten attempts.
 */
export class UsageReporter {
  readonly #options: UsageReporterOptions;
  readonly #failureLog: FailureLog;
  readonly #rejections: Rejections;
  readonly #abort = new AbortController();
  readonly #loop = new Loop(
    () => this.#report(),
    (error) => this.#failureLog.failed(toUpstreamError(error)),
  );
  #maxSeparate = MAX_SEPARATE_APPLICATIONS;
  /** Whether the upstream has accepted a bulk report in this attempt to send everything. */
  #acceptsBulk = false;
  #failures = 0;
  #loggedAtMs = -Infinity;

  constructor(options: UsageReporterOptions) {
    this.#options = options;
    this.#failureLog = new FailureLog("Sending usage to the upstream", options.events);
    this.#rejections = new Rejections({ ...options, failureLog: this.#failureLog });
    // Every pending request listens to the signal; by default, Node warns about more than ten listeners.
    setMaxListeners(2 * MAX_CONCURRENT_REQUESTS, this.#abort.signal);
  }

  /** Starts reporting after the first interval. */
  start(): void {
    this.#loop.start(this.#intervalMs());
  }

  /** Sends all usage now. */
  wake(): void {
    this.#loop.wake();
  }

  /** Delivers all usage within two seconds; retries transient failures until then. */
  async close(): Promise<void> {
    const { buffer, events, spool, random } = this.#options;
    const sendAll = (): Promise<UpstreamError | undefined> => {
      this.#maxSeparate = Infinity;
      return this.#sendAll();
    };
    await sendTheRest({ loop: this.#loop, abort: this.#abort, sendAll, random });
    this.#logDrops();
    const count = buffer.size;
    if (count === 0) return;
    const consequence =
      spool?.state.isWritable === true ? "; the next start will deliver it from the spool" : "";
    events.warn(`Usage of ${describeCount(count, "application")} was not delivered${consequence}`);
  }

  async #report(): Promise<number> {
    const error = await this.#sendAll();
    const { monotonicMs, intervalMs, random, spool } = this.#options;
    // Not awaited: a slow disk must not delay the delivery.
    void spool?.compact();
    if (monotonicMs() - this.#loggedAtMs >= intervalMs) this.#logDrops();
    if (error === undefined) return this.#intervalMs();
    const { retryAfterMs } = error;
    return nextDelayMs({ intervalMs, failures: this.#failures, retryAfterMs, random });
  }

  #intervalMs(): number {
    const { intervalMs, jitterMs, random } = this.#options;
    return intervalMs + Math.round(jitterMs * random());
  }

  /** Sends everything; returns the error if the upstream fails. */
  async #sendAll(): Promise<UpstreamError | undefined> {
    this.#rejections.beginRound();
    try {
      await this.#sendUsage();
      await this.#options.sendImpactAndRegistrations(this.#abort.signal);
    } catch (thrown) {
      const error = toUpstreamError(thrown);
      this.#failures += 1;
      this.#failureLog.failed(error);
      return error;
    }
    this.#failures = 0;
    if (this.#rejections.isEmpty) this.#failureLog.succeeded();
    return undefined;
  }

  async #sendUsage(): Promise<void> {
    const { buffer, bulk, now } = this.#options;
    const { environment } = bulk;
    if (environment === undefined || buffer.size < 2) {
      await this.#sendSeparately();
      return;
    }
    try {
      await this.#sendInBulk({ environment, timestamp: toHour(now()) });
    } catch (thrown) {
      if (!bulk.failed(toUpstreamError(thrown).status)) throw thrown;
      await this.#sendSeparately();
    }
  }

  async #sendInBulk(origin: BulkOrigin): Promise<void> {
    const rejectedBefore: ApplicationUsage[] = [];
    this.#acceptsBulk = false;
    const batches = toBulkBatches(this.#takeAcceptable(rejectedBefore), origin);
    await forEachConcurrently(batches, MAX_CONCURRENT_REQUESTS, (batch) =>
      this.#deliverBatch(batch, origin),
    );
    const repeated = rejectedBefore.slice(0, this.#maxSeparate);
    await forEachConcurrently(repeated, MAX_CONCURRENT_REQUESTS, (usage) => this.#deliver(usage));
  }

  /** Takes all usage; adds usage of applications that were rejected before to the list instead. */
  *#takeAcceptable(rejectedBefore: ApplicationUsage[]): Generator<ApplicationUsage> {
    for (const usage of this.#options.buffer.takeAll()) {
      if (this.#rejections.has(usage)) rejectedBefore.push(usage);
      else yield usage;
    }
  }

  async #sendSeparately(): Promise<void> {
    const { buffer, bulk } = this.#options;
    let isAccepted = true;
    try {
      const usages = takeFirst(buffer.takeAll(), this.#maxSeparate);
      await forEachConcurrently(usages, MAX_CONCURRENT_REQUESTS, async (usage) => {
        if (!(await this.#deliver(usage))) isAccepted = false;
      });
    } catch (thrown) {
      isAccepted = false;
      throw thrown;
    } finally {
      bulk.sentSeparately(isAccepted);
    }
  }

  async #deliverBatch(batch: BulkBatch, origin: BulkOrigin): Promise<void> {
    const { api, buffer, identity, onSent, now } = this.#options;
    try {
      await api.sendBulk(toBulkBody({ metrics: batch.metrics }), this.#abort.signal);
    } catch (thrown) {
      await this.#handleBatchFailure(batch, origin, toUpstreamError(thrown));
      return;
    }
    this.#acceptsBulk = true;
    for (const usage of batch.usages) {
      buffer.release(usage);
      onSent(toMetricsBody(usage, identity, now()));
    }
  }

  async #handleBatchFailure(
    { usages }: BulkBatch,
    origin: BulkOrigin,
    error: UpstreamError,
  ): Promise<void> {
    const isTooLarge = error.status === TOO_LARGE;
    const [usage] = usages;
    if (!error.isRejection || usage === undefined) throw error;
    if (!isTooLarge && usages.length === 1) {
      const isAccepted = await this.#deliver(usage);
      // The upstream seems to reject all bulk reports.
      if (isAccepted && !this.#acceptsBulk) throw error;
      return;
    }
    // A shutdown is limited in time.
    const mayDivide =
      isTooLarge || this.#maxSeparate === Infinity || this.#rejections.mayDivideBatch();
    if (!mayDivide) return;
    const halves = splitUsages(usages);
    if (halves === undefined) {
      this.#rejections.resolve(usage, [{ usage, error }], []);
      return;
    }
    for (const half of halves) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await this.#deliverBatch(toBulkBatch(half, origin), origin);
    }
  }

  /**
   * Delivers usage of one application separately, in parts if it is large; returns whether the upstream accepted all of it.
   * Rejected usage is sent again in parts, until the flags that cause the rejection are isolated.
   */
  async #deliver(usage: ApplicationUsage): Promise<boolean> {
    // Each part is accepted or not as a whole, so nothing is counted twice if a later one fails.
    const waiting = [...splitToFit(usage)];
    const rejected: Rejected[] = [];
    const accepted: ApplicationUsage[] = [];
    for (let part = waiting.shift(); part !== undefined; part = waiting.shift()) {
      // oxlint-disable-next-line no-await-in-loop -- one request per application at a time
      const error = await this.#trySend(part);
      if (error === undefined) {
        accepted.push(part);
        continue;
      }
      const parts = this.#rejections.split({ usage: part, error });
      if (parts === undefined) rejected.push({ usage: part, error });
      else waiting.unshift(...parts);
    }
    this.#rejections.resolve(usage, rejected, accepted);
    return rejected.length === 0;
  }

  /** Sends usage of one application; returns the error if the upstream rejects its content. */
  async #trySend(usage: ApplicationUsage): Promise<UpstreamError | undefined> {
    const { api, buffer, identity, onSent, now } = this.#options;
    const body = toMetricsBody(usage, identity, now());
    try {
      await api.sendMetrics(body, this.#abort.signal);
    } catch (thrown) {
      const error = toUpstreamError(thrown);
      if (error.isRejection) return error;
      throw error;
    }
    buffer.release(usage);
    onSent(body);
    return undefined;
  }

  /** Logs which usage was dropped since the last call. */
  #logDrops(): void {
    const { drops, events, monotonicMs } = this.#options;
    if (drops.logSummary(events.warn)) this.#loggedAtMs = monotonicMs();
  }
}

/** Returns the first elements, and takes no more than these from the iterable. */
function* takeFirst<Element>(elements: Iterable<Element>, count: number): Generator<Element> {
  let taken = 0;
  for (const element of elements) {
    yield element;
    taken += 1;
    if (taken === count) return;
  }
}
