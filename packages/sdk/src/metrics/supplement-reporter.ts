import type { Identity } from "../identity.ts";
import type { UpstreamApi } from "../transport/upstream-api.ts";
import { toUpstreamError } from "../transport/upstream-error.ts";
import { chunkTexts, toBulkBody } from "./bulk-batches.ts";
import type { BulkSupport } from "./bulk-support.ts";
import type { ImpactMetric, ImpactMetricsBuffer, TakenImpactMetrics } from "./impact-metrics.ts";
import { inParallel } from "./in-parallel.ts";
import { toMetricsBody } from "./metrics-body.ts";
import { toForwarded } from "./registration-buffer.ts";
import type { RegistrationBuffer, TakenRegistration } from "./registration-buffer.ts";
import type { UsageDrops } from "./usage-drops.ts";

export interface SupplementReporterOptions {
  readonly api: Pick<UpstreamApi, "forwardRegistration" | "sendBulk" | "sendMetrics">;
  readonly bulk: BulkSupport;
  readonly impactMetrics: ImpactMetricsBuffer;
  readonly registrations: RegistrationBuffer;
  readonly drops: UsageDrops;
  readonly identity: Identity;
  readonly now: () => number;
}

const MAX_REGISTRATIONS = 5000;
/** Without bulk reports each registration is a request: invented names must not cause thousands. */
const MAX_SINGLE_REGISTRATIONS = 50;

/**
 * Forwards what applications report besides usage: impact metrics and registrations. Both are best
 * effort. They are sent again after a failed attempt, and dropped when the upstream refuses them. They
 * never share a request with usage, which must not suffer from a refusal.
 */
export class SupplementReporter {
  readonly #options: SupplementReporterOptions;

  constructor(options: SupplementReporterOptions) {
    this.#options = options;
  }

  /** Throws an `UpstreamError` if the upstream cannot be reached. */
  async send(signal: AbortSignal): Promise<void> {
    const { bulk } = this.#options;
    const { environment } = bulk;
    try {
      await this.#sendAll(environment, signal);
    } catch (thrown) {
      if (environment === undefined || !bulk.declined(toUpstreamError(thrown).status)) throw thrown;
      await this.#sendAll(undefined, signal);
      bulk.sentWithout(true);
    }
  }

  /** @param environment undefined: without bulk reports */
  async #sendAll(environment: string | undefined, signal: AbortSignal): Promise<void> {
    await this.#sendImpactMetrics(environment, signal);
    if (environment === undefined) await this.#registerOneByOne(signal);
    else await this.#registerInBulk(environment, signal);
  }

  async #sendImpactMetrics(environment: string | undefined, signal: AbortSignal): Promise<void> {
    const { impactMetrics, drops } = this.#options;
    const waiting = new Set(impactMetrics.take());
    try {
      await inParallel([...waiting], async (taken) => {
        const isAccepted = await attempt(() => this.#postImpact(taken, environment, signal));
        if (!isAccepted) drops.note("impact_metric", taken.texts.length);
        impactMetrics.release(taken);
        waiting.delete(taken);
      });
    } finally {
      for (const taken of waiting) impactMetrics.putBack(taken);
    }
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
    const nothing = { appName: identity.appName, startMs: nowMs, features: {} };
    const impactMetrics = texts.map((text) => JSON.parse(text) as ImpactMetric);
    return api.sendMetrics({ ...toMetricsBody(nothing, identity, nowMs), impactMetrics }, signal);
  }

  async #registerInBulk(environment: string, signal: AbortSignal): Promise<void> {
    const { api, identity, registrations } = this.#options;
    const toText = ({ registration }: TakenRegistration): string =>
      JSON.stringify({ ...toForwarded(registration, identity), environment });
    const taken = registrations.take(MAX_REGISTRATIONS);
    let first = 0;
    const parts = chunkTexts(taken.map(toText)).map(({ length }) => {
      first += length;
      return taken.slice(first - length, first);
    });
    await this.#register(parts, (part) =>
      api.sendBulk(toBulkBody({ applications: part.map(toText) }), signal),
    );
  }

  async #registerOneByOne(signal: AbortSignal): Promise<void> {
    const { api, identity, registrations } = this.#options;
    const taken = registrations.take(MAX_SINGLE_REGISTRATIONS);
    await this.#register(
      taken.map((one) => [one]),
      async ([one]) => {
        if (one === undefined) return;
        await api.forwardRegistration(toForwarded(one.registration, identity), signal);
      },
    );
  }

  async #register(
    parts: readonly (readonly TakenRegistration[])[],
    post: (part: readonly TakenRegistration[]) => Promise<void>,
  ): Promise<void> {
    const { registrations, drops } = this.#options;
    const waiting = new Set(parts.flat());
    const send = async (part: readonly TakenRegistration[]): Promise<void> => {
      const isAccepted = await attempt(() => post(part));
      if (!isAccepted && part.length > 1) {
        // One of them is invalid: the others are registered all the same.
        const middle = Math.ceil(part.length / 2);
        await send(part.slice(0, middle));
        await send(part.slice(middle));
        return;
      }
      if (!isAccepted) drops.note("registration", 1);
      registrations.release(part);
      for (const one of part) waiting.delete(one);
    };
    try {
      await inParallel(parts, send);
    } finally {
      registrations.putBack([...waiting]);
    }
  }
}

/** False if the upstream refused what was sent; throws if it could not be reached. */
async function attempt(post: () => Promise<void>): Promise<boolean> {
  try {
    await post();
    return true;
  } catch (thrown) {
    if (toUpstreamError(thrown).isRefusal) return false;
    throw thrown;
  }
}
