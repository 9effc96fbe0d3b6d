import type { MetricsBody, UpstreamError } from "flags-sdk";
import {
  type EventSink,
  FailureLog,
  forEachConcurrently,
  type Identity,
  isNotOffered,
  toMetricsBody,
  toUpstreamError,
  type UpstreamApi,
} from "flags-sdk/neutral";
import type { ApplicationUsage } from "./application-usage.ts";
import {
  type BulkOrigin,
  halveList,
  splitToFit,
  toBulkBatches,
  toBulkBody,
  toBulkMetrics,
  toBulkOrigin,
  toChunks,
} from "./bulk-report.ts";
import type { ItemBuffer, TakenItem } from "./item-buffer.ts";
import type { IsKnown } from "./known-names.ts";
import type { PendingData } from "./pending-data.ts";
import { toForwarded } from "./registrations.ts";
import { type Rejected, Rejections, TOO_LARGE } from "./rejections.ts";
import type { UsageDrops } from "./usage-drops.ts";

export interface UsageSenderOptions {
  readonly api: Pick<UpstreamApi, "register" | "sendBulk" | "sendMetrics">;
  readonly identity: Identity;
  readonly pending: PendingData;
  /** The environment for bulk reports. @default bulk reports are not possible */
  readonly environment: string | undefined;
  readonly drops: UsageDrops;
  readonly isKnown: IsKnown;
  readonly events: EventSink;
  /** Called for each delivered report; after a bulk report, once for each application. */
  readonly onSent: (body: MetricsBody) => void;
}

export const MAX_CONCURRENT_REQUESTS = 20;
// Per attempt to send everything. Each of these is a request at least: what clients invent must not cause thousands.
const MAX_SEPARATE_APPLICATIONS = 500;
const MAX_SEPARATE_REGISTRATIONS = 50;
const MAX_REGISTRATIONS = 5000;

/** Delay before trying bulk reports again with an upstream that does not accept them: it may be upgraded. */
const BULK_RETRY_MS = 600_000;
/** The token has the wrong type, or the upstream expects another format. */
const REJECTED: ReadonlySet<number | undefined> = new Set([400, 403, 422]);

/** How to send items of one kind together. */
interface BatchRequest<Item> {
  readonly post: (items: readonly Item[]) => Promise<void>;
  readonly onAccepted: (items: readonly Item[]) => void;
  readonly onRejected: (item: Item, error: UpstreamError) => Promise<void> | void;
}

/**
 * Sends usage, impact metrics and registrations: in bulk if the upstream accepts bulk reports and there is usage of several
 * applications; otherwise application by application, up to 20 at a time and 500 per attempt. What could not be delivered
 * stays pending.
 *
 * Usage that the upstream rejects for its content does not delay other usage: rejected bulk reports are divided until
 * the application is found. From then on its usage is sent separately, and unknown flags and variants separately from
 * those that the upstream sent. A flag that is rejected while others of its application are accepted is dropped with a
 * warning. If all known flags of an application are rejected, or all unknown ones, they are dropped after ten attempts.
 */
export class UsageSender {
  readonly #options: UsageSenderOptions;
  readonly #failureLog: FailureLog;
  readonly #rejections: Rejections;
  #signal: AbortSignal = new AbortController().signal;
  #maxSeparate = MAX_SEPARATE_APPLICATIONS;
  /** A time of `performance.now()`. */
  #bulkRetryAtMs = -Infinity;
  /** Whether the last attempt failed with a status that a single entry of a bulk report can cause. */
  #avoidsBulk = false;
  /** Whether the upstream has accepted a bulk report in this attempt to send everything. */
  #acceptsBulk = false;
  #failures = 0;

  constructor(options: UsageSenderOptions) {
    this.#options = options;
    const { pending, events } = options;
    const failureLog = new FailureLog("Sending usage to the upstream", events);
    this.#failureLog = failureLog;
    this.#rejections = new Rejections({ ...options, buffer: pending.usage, failureLog });
  }

  /** Consecutive attempts that have failed. */
  get failures(): number {
    return this.#failures;
  }

  /**
   * Sends everything; returns the error if the upstream fails. Calls must not overlap.
   *
   * @param isLast whether there is no later attempt, so that the number of requests is not limited. @default false
   */
  async sendAll(signal: AbortSignal, isLast = false): Promise<UpstreamError | undefined> {
    this.#signal = signal;
    this.#maxSeparate = isLast ? Infinity : MAX_SEPARATE_APPLICATIONS;
    this.#rejections.beginAttempt(isLast);
    const isBulkUsable = !this.#avoidsBulk && performance.now() >= this.#bulkRetryAtMs;
    const environment = isBulkUsable ? this.#options.environment : undefined;
    this.#avoidsBulk = false;
    try {
      await this.#send(environment).catch(async (thrown: unknown) => {
        if (environment === undefined || !this.#isWithoutBulk(thrown)) throw thrown;
        await this.#send(undefined);
      });
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

  /** Whether the failure means that the upstream does not accept bulk reports. */
  #isWithoutBulk(thrown: unknown): boolean {
    const { status } = toUpstreamError(thrown);
    this.#avoidsBulk = status === 500;
    if (!isNotOffered(status) && !REJECTED.has(status)) return false;
    this.#bulkRetryAtMs = performance.now() + BULK_RETRY_MS;
    return true;
  }

  /**
   * Usage, impact metrics and registrations never share a request, because an upstream may store the first two parts of a
   * report although it rejects the third.
   *
   * @param environment the environment for bulk reports; undefined: without bulk reports
   */
  async #send(environment: string | undefined): Promise<void> {
    const origin = environment === undefined ? undefined : toBulkOrigin(environment, Date.now());
    await this.#sendUsage(origin);
    await this.#sendImpactMetrics(origin);
    await this.#sendRegistrations(origin);
  }

  async #sendUsage(origin: BulkOrigin | undefined): Promise<void> {
    const { usage } = this.#options.pending;
    if (origin === undefined || usage.size < 2) {
      await this.#sendSeparately(usage.takeAll(this.#maxSeparate));
      return;
    }
    const rejectedBefore: ApplicationUsage[] = [];
    const batches = toBulkBatches(this.#takeAcceptable(rejectedBefore), origin);
    this.#acceptsBulk = false;
    await this.#sendBatches(batches, {
      post: (parts) => {
        const metrics = parts.flatMap((part) => toBulkMetrics(part, origin));
        return this.#options.api.sendBulk(toBulkBody({ metrics }), this.#signal);
      },
      onAccepted: (parts) => {
        this.#acceptsBulk = true;
        for (const part of parts) this.#delivered(part, this.#toBody(part));
      },
      onRejected: async (part, error) => {
        const isAccepted = await this.#deliver(part);
        // The upstream seems to reject all bulk reports.
        if (isAccepted && !this.#acceptsBulk && error.status !== TOO_LARGE) throw error;
      },
    });
    await this.#sendSeparately(rejectedBefore.slice(0, this.#maxSeparate));
  }

  /** Takes all usage; adds usage of applications that were rejected before to the list instead. */
  *#takeAcceptable(rejectedBefore: ApplicationUsage[]): Generator<ApplicationUsage> {
    for (const usage of this.#options.pending.usage.takeAll()) {
      if (this.#rejections.has(usage)) rejectedBefore.push(usage);
      else yield usage;
    }
  }

  #sendSeparately(usages: Iterable<ApplicationUsage>): Promise<void> {
    return forEachConcurrently(usages, MAX_CONCURRENT_REQUESTS, (usage) => this.#deliver(usage));
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
      const body = this.#toBody(part);
      // oxlint-disable-next-line no-await-in-loop -- one request per application at a time
      const error = await rejectionOf(this.#options.api.sendMetrics(body, this.#signal));
      if (error === undefined) {
        accepted.push(part);
        this.#delivered(part, body);
        continue;
      }
      const parts = this.#rejections.divide({ usage: part, error });
      if (parts === undefined) rejected.push({ usage: part, error });
      else waiting.unshift(...parts);
    }
    this.#rejections.resolve(usage, rejected, accepted);
    return rejected.length === 0;
  }

  #toBody(usage: ApplicationUsage): MetricsBody {
    return toMetricsBody(usage, this.#options.identity, Date.now());
  }

  #delivered(usage: ApplicationUsage, body: MetricsBody): void {
    this.#options.pending.usage.release(usage);
    this.#options.onSent(body);
  }

  #sendImpactMetrics(origin: BulkOrigin | undefined): Promise<void> {
    const { api, pending, identity } = this.#options;
    const signal = this.#signal;
    const taken = toChunks(pending.impactMetrics.take(), ({ item }) => [item]);
    return this.#forward("impact_metric", pending.impactMetrics, taken, (impactMetrics) => {
      if (origin !== undefined) return api.sendBulk(toBulkBody({ impactMetrics }), signal);
      const { appName } = identity;
      const noUsage = this.#toBody({ appName, startMs: Date.now(), features: {} });
      return api.sendMetrics({ ...noUsage, impactMetrics }, signal);
    });
  }

  #sendRegistrations(origin: BulkOrigin | undefined): Promise<void> {
    const { api, pending, identity } = this.#options;
    const signal = this.#signal;
    const { registrations } = pending;
    if (origin === undefined) {
      const taken = registrations.take(MAX_SEPARATE_REGISTRATIONS).map((one) => [one]);
      return this.#forward("registration", registrations, taken, async ([one]) => {
        if (one !== undefined) await api.register(toForwarded(one, identity), signal);
      });
    }
    const { environment } = origin;
    const taken = toChunks(registrations.take(MAX_REGISTRATIONS), ({ item }) => [
      { ...toForwarded(item, identity), environment },
    ]);
    return this.#forward("registration", registrations, taken, (batch) => {
      const applications = batch.map((one) => ({ ...toForwarded(one, identity), environment }));
      return api.sendBulk(toBulkBody({ applications }), signal);
    });
  }

  /** Sends impact metrics or registrations; drops those that the upstream rejects. */
  #forward<Item>(
    kind: "impact_metric" | "registration",
    buffer: ItemBuffer<Item>,
    batches: Iterable<readonly TakenItem<Item>[]>,
    post: (items: readonly Item[]) => Promise<void>,
  ): Promise<void> {
    return this.#sendBatches(batches, {
      post: (taken) => post(taken.map(({ item }) => item)),
      onAccepted: (taken) => buffer.release(taken),
      onRejected: (one) => {
        this.#options.drops.add(kind, 1);
        buffer.release([one]);
      },
    });
  }

  #sendBatches<Item>(
    batches: Iterable<readonly Item[]>,
    request: BatchRequest<Item>,
  ): Promise<void> {
    return forEachConcurrently(batches, MAX_CONCURRENT_REQUESTS, (batch) =>
      this.#sendBatch(batch, request),
    );
  }

  /** Sends items together. If they are rejected, divides them until those that cause the rejection are found. */
  async #sendBatch<Item>(items: readonly Item[], request: BatchRequest<Item>): Promise<void> {
    const error = await rejectionOf(request.post(items));
    const [item] = items;
    if (error === undefined || item === undefined) {
      request.onAccepted(items);
    } else if (items.length === 1) {
      await request.onRejected(item, error);
    } else if (error.status === TOO_LARGE || this.#rejections.mayDivide("batch")) {
      for (const half of halveList(items)) {
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        await this.#sendBatch(half, request);
      }
    }
  }
}

/** Resolves to undefined, or to the error if the upstream rejects the content of a request. */
async function rejectionOf(request: Promise<void>): Promise<UpstreamError | undefined> {
  try {
    await request;
    return undefined;
  } catch (thrown) {
    const error = toUpstreamError(thrown);
    if (error.isRejection) return error;
    throw error;
  }
}
