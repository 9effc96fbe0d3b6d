import type { MetricsBody, UpstreamError } from "flags-sdk";
import {
  type EventSink,
  FailureLog,
  forEachConcurrently,
  type Identity,
  isNotOffered,
  type Settings,
  toMetricsBody,
  toUpstreamError,
  type UpstreamApi,
} from "flags-sdk/neutral";
import type { AcceptedUsage } from "./accepted-usage.ts";
import type {
  ApplicationRegistration,
  ApplicationUsage,
  ImpactMetric,
} from "./application-usage.ts";
import {
  type BulkOrigin,
  environmentOf,
  toBulkBody,
  toBulkMetric,
  toBulkOrigin,
  toChunks,
} from "./bulk-report.ts";
import type { ItemBuffer, TakenItem } from "./item-buffer.ts";
import { toForwarded } from "./registrations.ts";
import {
  type FlagUsage,
  groupByApplication,
  isEmpty,
  joinFlags,
  withKnownVariants,
} from "./usage-buffer.ts";
import type { DropKind } from "./usage-drops.ts";

export interface UsageSenderOptions {
  readonly api: Pick<UpstreamApi, "register" | "sendBulk" | "sendMetrics">;
  readonly identity: Identity;
  readonly accepted: AcceptedUsage;
  readonly credentials: Settings["credentials"];
  readonly events: EventSink;
  /** Called for each delivered report; after a bulk report, once for each application. */
  readonly onSent: (body: MetricsBody) => void;
}

export const MAX_CONCURRENT_REQUESTS = 20;
// Per attempt to send everything. Each of these is a request at least: what clients invent must not cause thousands.
const MAX_SEPARATE_APPLICATIONS = 500;
const MAX_SEPARATE_REGISTRATIONS = 50;
const MAX_REGISTRATIONS = 5000;
/** How often rejected batches are divided, for names that the upstream sent and for others. */
const MAX_DIVISIONS = 100;

/** Rejections after which an item is dropped, although the upstream has accepted nothing else. */
const MAX_REJECTIONS = 10;
const TOO_LARGE = 413;

/** Delay before trying bulk reports again with an upstream that does not accept them: it may be upgraded. */
const BULK_RETRY_MS = 600_000;
/** The token has the wrong type, or the upstream expects another format. */
const REJECTED: ReadonlySet<number | undefined> = new Set([400, 403, 422]);

type Batch<Item> = readonly TakenItem<Item>[];

/** How to send items of one kind together. */
interface BatchRequest<Item> {
  readonly kind: DropKind;
  readonly buffer: ItemBuffer<Item>;
  readonly post: (batch: Batch<Item>) => Promise<void>;
  readonly onAccepted?: (batch: Batch<Item>) => void;
  /** Tries another way to send what is rejected and not divided any more; returns whether that was decisive. */
  readonly retry?: (batch: Batch<Item>, error: UpstreamError) => Promise<boolean>;
  /** @default all are known */
  readonly trustOf?: (item: Item) => Trust;
  /** After how many rejections an item is dropped although the upstream has accepted no other. @default 10 */
  readonly maxRejections?: number;
  /** Describes an item for the log. */
  readonly describe?: (item: Item) => string;
}

/** Whether the upstream has sent all names in an item, all but those of variants, or not even that of the flag. */
type Trust = "known" | "variants" | "unknown";

const TRUST: readonly Trust[] = ["known", "variants", "unknown"];

/** What may still be done in an attempt to send everything, and its results. */
interface Attempt {
  readonly signal: AbortSignal;
  readonly maxSeparate: number;
  readonly divisionsLeft: Record<Trust, number>;
  /** Those of which the upstream has accepted something. */
  readonly accepted: Set<unknown>;
  /** Decide about rejected items, at the end. Each returns the error unless all items are dropped. */
  readonly decisions: (() => UpstreamError | undefined)[];
}

function createAttempt(signal: AbortSignal, isLast: boolean): Attempt {
  return {
    signal,
    maxSeparate: isLast ? Infinity : MAX_SEPARATE_APPLICATIONS,
    divisionsLeft: {
      known: isLast ? Infinity : MAX_DIVISIONS,
      variants: MAX_DIVISIONS,
      unknown: MAX_DIVISIONS,
    },
    accepted: new Set(),
    decisions: [],
  };
}

/**
 * Sends usage, impact metrics and registrations: in bulk if the upstream accepts bulk reports and there is usage of several
 * applications; otherwise application by application, up to 20 at a time and 500 per attempt. What could not be delivered
 * stays pending.
 *
 * What the upstream rejects for its content does not delay the rest: rejected batches are divided until the items that cause
 * it are found. Names that a client may have invented are separated first, so that they do not affect the others. An item
 * that is rejected alone is dropped with a warning; usage, if the upstream accepts nothing at all, after ten attempts.
 */
export class UsageSender {
  readonly #options: UsageSenderOptions;
  readonly #failureLog: FailureLog;
  /** The environment for bulk reports; undefined if they are not possible. */
  readonly #environment: string | undefined;
  #attempt = createAttempt(new AbortController().signal, false);
  /** A time of `performance.now()`. */
  #bulkRetryAtMs = -Infinity;
  /** Whether the last attempt failed with a status that a single entry of a bulk report can cause. */
  #avoidsBulk = false;
  #failures = 0;

  constructor(options: UsageSenderOptions) {
    this.#options = options;
    this.#environment = environmentOf(options.credentials);
    this.#failureLog = new FailureLog("Sending usage to the upstream", options.events);
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
    this.#attempt = createAttempt(signal, isLast);
    const isBulkUsable = !this.#avoidsBulk && performance.now() >= this.#bulkRetryAtMs;
    const environment = isBulkUsable ? this.#environment : undefined;
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
    const [rejection] = this.#attempt.decisions.flatMap((decide) => decide() ?? []);
    if (rejection === undefined) this.#failureLog.succeeded();
    else this.#failureLog.failed(rejection);
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
    const { api, accepted, onSent } = this.#options;
    const taken = accepted.usage.take();
    if (origin === undefined || groupByApplication(taken).length < 2) {
      await this.#sendSeparately(taken);
      return;
    }
    let acceptsBulk = false;
    await this.#sendBatches(
      toChunks(taken, ({ item }) => toBulkMetric(item, origin)),
      {
        ...this.#usageRequest,
        post: (batch) => {
          const metrics = batch.map(({ item }) => toBulkMetric(item, origin));
          return api.sendBulk(toBulkBody({ metrics }), this.#attempt.signal);
        },
        onAccepted: (batch) => {
          acceptsBulk = true;
          for (const group of groupByApplication(batch)) onSent(this.#toBody(joinFlags(group)));
        },
        retry: async (batch, error) => {
          if (batch.length > 1) return false;
          const isAccepted = await this.#sendSeparately(batch);
          // The upstream seems to reject all bulk reports.
          if (isAccepted && !acceptsBulk && error.status !== TOO_LARGE) throw error;
          return true;
        },
      },
    );
  }

  /** Sends usage application by application, in parts if it is large; returns whether the upstream has accepted it. */
  async #sendSeparately(taken: Batch<FlagUsage>): Promise<boolean> {
    const { api, onSent } = this.#options;
    const { signal, maxSeparate } = this.#attempt;
    const batches = groupByApplication(taken)
      .slice(0, maxSeparate)
      .flatMap((group) => [...toChunks(group, ({ item }) => [item.flag, item.counts])]);
    let isAccepted = true;
    await this.#sendBatches(batches, {
      ...this.#usageRequest,
      post: (batch) => api.sendMetrics(this.#toBody(joinFlags(batch)), signal),
      onAccepted: (batch) => onSent(this.#toBody(joinFlags(batch))),
      retry: async (batch, error) => {
        const isDecisive = await this.#sendWithoutVariants(batch, error);
        isAccepted &&= isDecisive;
        return isDecisive;
      },
    });
    return isAccepted;
  }

  /** Sends usage again without the variants that a client may have invented. */
  async #sendWithoutVariants(batch: Batch<FlagUsage>, error: UpstreamError): Promise<boolean> {
    const { api, accepted, onSent } = this.#options;
    const { buffer, trustOf, describe } = this.#usageRequest;
    const rest = batch
      .map((one) => ({ ...one, item: withKnownVariants(one.item, accepted.isKnown) }))
      .filter(({ item }) => !isEmpty(item));
    const [first] = batch;
    if (first === undefined || trustOf(first.item) !== "variants" || rest.length === 0)
      return false;
    const body = this.#toBody(joinFlags(rest));
    if ((await rejectionOf(api.sendMetrics(body, this.#attempt.signal))) !== undefined)
      return false;
    const subject = `${describe(first.item)} (only variants)`;
    accepted.drops.add("rejected", batch.length, `${subject}: ${error.message}`);
    this.#attempt.accepted.add(buffer);
    buffer.release(batch);
    onSent(body);
    return true;
  }

  get #usageRequest() {
    const { isKnown, usage } = this.#options.accepted;
    return {
      kind: "rejected" as const,
      buffer: usage,
      trustOf: ({ flag, counts: { variants = {} } }: FlagUsage): Trust => {
        if (!isKnown(flag)) return "unknown";
        return Object.keys(variants).every((name) => isKnown(flag, name)) ? "known" : "variants";
      },
      describe: ({ appName, flag }: FlagUsage) =>
        `application ${JSON.stringify(appName)}, flag ${JSON.stringify(flag)}`,
    };
  }

  #toBody(usage: ApplicationUsage): MetricsBody {
    return toMetricsBody(usage, this.#options.identity, Date.now());
  }

  #sendImpactMetrics(origin: BulkOrigin | undefined): Promise<void> {
    const { api, accepted, identity } = this.#options;
    const { signal } = this.#attempt;
    const { impactMetrics: buffer } = accepted;
    const post = (batch: Batch<ImpactMetric>): Promise<void> => {
      const impactMetrics = batch.map(({ item }) => item);
      if (origin !== undefined) return api.sendBulk(toBulkBody({ impactMetrics }), signal);
      const { appName } = identity;
      const noUsage = this.#toBody({ appName, startMs: Date.now(), features: {} });
      return api.sendMetrics({ ...noUsage, impactMetrics }, signal);
    };
    const batches = toChunks(buffer.take(), ({ item }) => item);
    return this.#sendBatches(batches, { kind: "impact_metric", maxRejections: 1, buffer, post });
  }

  #sendRegistrations(origin: BulkOrigin | undefined): Promise<void> {
    const { api, accepted, identity } = this.#options;
    const { signal } = this.#attempt;
    const { registrations: buffer } = accepted;
    const request = { kind: "registration" as const, maxRejections: 1, buffer };
    if (origin === undefined) {
      const batches = buffer.take(MAX_SEPARATE_REGISTRATIONS).map((one) => [one]);
      return this.#sendBatches(batches, {
        ...request,
        post: async ([one]) => {
          if (one !== undefined) await api.register(toForwarded(one.item, identity), signal);
        },
      });
    }
    const { environment } = origin;
    const toEntry = ({ item }: TakenItem<ApplicationRegistration>) => ({
      ...toForwarded(item, identity),
      environment,
    });
    return this.#sendBatches(toChunks(buffer.take(MAX_REGISTRATIONS), toEntry), {
      ...request,
      post: (batch) => api.sendBulk(toBulkBody({ applications: batch.map(toEntry) }), signal),
    });
  }

  #sendBatches<Item>(batches: Iterable<Batch<Item>>, request: BatchRequest<Item>): Promise<void> {
    return forEachConcurrently(batches, MAX_CONCURRENT_REQUESTS, (batch) =>
      this.#sendBatch(batch, request),
    );
  }

  /** If items are rejected, divides them until those that cause it are found. */
  async #sendBatch<Item>(batch: Batch<Item>, request: BatchRequest<Item>): Promise<void> {
    const { buffer, post, onAccepted, retry } = request;
    const error = await rejectionOf(post(batch)).catch((thrown: unknown) => {
      buffer.postpone(batch);
      throw thrown;
    });
    if (error === undefined) {
      this.#attempt.accepted.add(buffer);
      buffer.release(batch);
      onAccepted?.(batch);
      return;
    }
    const parts = this.#divide(batch, error, request);
    for (const part of parts) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await this.#sendBatch(part, request);
    }
    if (parts.length > 0 || (await retry?.(batch, error)) === true) return;
    this.#decideLater(batch, error, request);
  }

  /** Divides a rejected batch, first by what clients may have invented. Returns an empty list if it is not divided any more. */
  #divide<Item>(
    batch: Batch<Item>,
    error: UpstreamError,
    { trustOf = () => "known" }: Pick<BatchRequest<Item>, "trustOf">,
  ): readonly Batch<Item>[] {
    if (batch.length < 2) return [];
    if (error.status !== TOO_LARGE) {
      const groups = TRUST.map((trust) => batch.filter(({ item }) => trustOf(item) === trust));
      const present = groups.filter(({ length }) => length > 0);
      if (present.length > 1) return present;
      const trust = TRUST[groups.findIndex(({ length }) => length > 0)] ?? "known";
      this.#attempt.divisionsLeft[trust] -= 1;
      if (this.#attempt.divisionsLeft[trust] < 0) return [];
    }
    const middle = Math.ceil(batch.length / 2);
    return [batch.slice(0, middle), batch.slice(middle)];
  }

  /**
   * Decides at the end of the attempt about what was rejected: an item that is rejected alone is dropped if others were
   * accepted, and otherwise after ten attempts, as are names that a client may have invented.
   */
  #decideLater<Item>(batch: Batch<Item>, error: UpstreamError, request: BatchRequest<Item>): void {
    const { kind, buffer, trustOf = () => "known", describe } = request;
    const { maxRejections = MAX_REJECTIONS } = request;
    this.#attempt.decisions.push(() => {
      const isAlone = batch.length === 1;
      const isCertain = isAlone && this.#attempt.accepted.has(buffer);
      const dropped = batch.filter((one) => {
        // Of several, some may be innocent.
        if (!isAlone && trustOf(one.item) !== "unknown") return false;
        return isCertain || buffer.countRejection(one) >= maxRejections;
      });
      const [first] = dropped;
      if (first !== undefined) {
        const subject = describe === undefined ? "" : `${describe(first.item)}: `;
        this.#options.accepted.drops.add(kind, dropped.length, subject + error.message);
        this.#options.events.failure(error);
        buffer.release(dropped);
      }
      buffer.postpone(batch);
      return dropped.length === batch.length ? undefined : error;
    });
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
