import type { ApplicationRegistration, ImpactMetric } from "./application-usage.ts";
import type { UpstreamConnection } from "flags-sdk/internal";
import { forEachConcurrently, toMetricsBody, toUpstreamError } from "flags-sdk/neutral";
import { halveList, toBulkBody, toChunks } from "./bulk-report.ts";
import type { BulkSupport } from "./bulk-report.ts";
import type { ImpactMetricsBuffer, TakenImpactMetrics } from "./impact-metrics.ts";
import { toForwarded } from "./registration-buffer.ts";
import type { RegistrationBuffer } from "./registration-buffer.ts";
import type { UsageDrops } from "./usage-drops.ts";
import { MAX_CONCURRENT_REQUESTS } from "./usage-limits.ts";

interface ImpactAndRegistrationReporterOptions {
  readonly api: Pick<UpstreamConnection["api"], "register" | "sendBulk" | "sendMetrics">;
  readonly bulk: BulkSupport;
  readonly impactMetrics: ImpactMetricsBuffer;
  readonly registrations: RegistrationBuffer;
  readonly drops: UsageDrops;
  readonly identity: UpstreamConnection["identity"];
  readonly now: () => number;
}

const MAX_REGISTRATIONS = 5000;
/** Without bulk reports each registration is a request: invented names must not cause thousands. */
const MAX_SEPARATE_REGISTRATIONS = 50;
/** How often rejected batches of registrations are divided per attempt, for the same reason. */
const MAX_SPLITS = 100;

/**
 * Forwards the impact metrics and registrations of applications. They are sent
 * again after a failed attempt, but dropped if the upstream rejects them. They never share a request
 * with usage, so that a rejection does not affect usage.
 */
export class ImpactAndRegistrationReporter {
  readonly #options: ImpactAndRegistrationReporterOptions;

  constructor(options: ImpactAndRegistrationReporterOptions) {
    this.#options = options;
  }

  /** Throws an `UpstreamError` if the upstream cannot be reached. */
  async send(signal: AbortSignal): Promise<void> {
    const { bulk } = this.#options;
    const { environment } = bulk;
    try {
      await this.#sendAll(environment, signal);
    } catch (thrown) {
      if (environment === undefined || !bulk.failed(toUpstreamError(thrown).status)) throw thrown;
      await this.#sendAll(undefined, signal);
      bulk.sentSeparately(true);
    }
  }

  /** @param environment the environment for bulk reports; undefined: without bulk reports */
  async #sendAll(environment: string | undefined, signal: AbortSignal): Promise<void> {
    await this.#sendImpactMetrics(environment, signal);
    if (environment === undefined) await this.#registerSeparately(signal);
    else await this.#registerInBulk(environment, signal);
  }

  async #sendImpactMetrics(environment: string | undefined, signal: AbortSignal): Promise<void> {
    const { impactMetrics, drops } = this.#options;
    await forEachConcurrently(impactMetrics.take(), MAX_CONCURRENT_REQUESTS, async (taken) => {
      const isAccepted = await trySend(() => this.#postImpact(taken, environment, signal));
      if (!isAccepted) drops.add("impact_metric", taken.texts.length);
      impactMetrics.release(taken);
    });
  }

  #postImpact(
    { texts }: TakenImpactMetrics,
    environment: string | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const { api, identity, now } = this.#options;
    if (environment !== undefined)
      return api.sendBulk(toBulkBody({ impactMetrics: texts }), signal);
    const nowMs = now();
    const noUsage = { appName: identity.appName, startMs: nowMs, features: {} };
    const impactMetrics = texts.map((text) => JSON.parse(text) as ImpactMetric);
    return api.sendMetrics({ ...toMetricsBody(noUsage, identity, nowMs), impactMetrics }, signal);
  }

  async #registerInBulk(environment: string, signal: AbortSignal): Promise<void> {
    const { api, identity, registrations } = this.#options;
    const toText = (registration: ApplicationRegistration): string =>
      JSON.stringify({ ...toForwarded(registration, identity), environment });
    const chunks = toChunks(registrations.take(MAX_REGISTRATIONS), toText);
    await this.#register(
      chunks.map(({ items }) => items),
      (batch) => api.sendBulk(toBulkBody({ applications: batch.map(toText) }), signal),
    );
  }

  async #registerSeparately(signal: AbortSignal): Promise<void> {
    const { api, identity, registrations } = this.#options;
    const taken = registrations.take(MAX_SEPARATE_REGISTRATIONS);
    await this.#register(
      taken.map((one) => [one]),
      async ([one]) => {
        if (one === undefined) return;
        await api.register(toForwarded(one, identity), signal);
      },
    );
  }

  /** Sends batches; splits rejected ones, so that an invalid registration does not affect the others. */
  async #register(
    batches: readonly (readonly ApplicationRegistration[])[],
    post: (batch: readonly ApplicationRegistration[]) => Promise<void>,
  ): Promise<void> {
    const { registrations, drops } = this.#options;
    let splitsLeft = MAX_SPLITS;
    const send = async (batch: readonly ApplicationRegistration[]): Promise<void> => {
      const isAccepted = await trySend(() => post(batch));
      if (!isAccepted && batch.length > 1) {
        // Those that are left are sent again in the next interval.
        if (splitsLeft === 0) return;
        splitsLeft -= 1;
        const [first, second] = halveList(batch);
        await send(first);
        await send(second);
        return;
      }
      if (!isAccepted) drops.add("registration", 1);
      registrations.release(batch);
    };
    await forEachConcurrently(batches, MAX_CONCURRENT_REQUESTS, send);
  }
}

/** Resolves to false if the upstream rejected the content; throws if the upstream cannot be reached. */
async function trySend(post: () => Promise<void>): Promise<boolean> {
  try {
    await post();
    return true;
  } catch (thrown) {
    if (toUpstreamError(thrown).isRejection) return false;
    throw thrown;
  }
}
