import { FairShare } from "flags-server-kit/neutral";
import {
  type ChangeKind,
  DEFAULT_QUOTA,
  type ImpactMetric,
  type PendingContent,
} from "./application-usage.ts";
import { IMPACT_METRICS, joinSamples, toSingleSamples } from "./impact-metrics.ts";
import { ItemBuffer } from "./item-buffer.ts";
import { RegistrationBuffer } from "./registrations.ts";
import { UsageBuffer, type UsageBufferOptions } from "./usage-buffer.ts";
import { USAGE_LIMITS } from "./usage-limits.ts";

const ignore = (): void => undefined;

/** What is pending: accepted, but not delivered. */
export class PendingData {
  readonly usage: UsageBuffer;
  /** With one sample each. */
  readonly impactMetrics: ItemBuffer<ImpactMetric>;
  readonly registrations: RegistrationBuffer;

  /**
   * By default, all flags are known but no variants, and changes are not recorded. The memory is the budget of all data.
   */
  constructor({
    limits = USAGE_LIMITS,
    memory = new FairShare(limits.bytes),
    isKnown = (_flag, variant) => variant === undefined,
    onDropped = ignore,
    journal = ignore,
  }: Partial<UsageBufferOptions> = {}) {
    this.usage = new UsageBuffer({ limits, memory, isKnown, onDropped, journal });
    this.impactMetrics = new ItemBuffer(IMPACT_METRICS, memory, (kind, quotaId, metrics) =>
      journal(kind, { quotaId, impactMetrics: joinSamples(metrics) }),
    );
    this.registrations = new RegistrationBuffer(memory, (kind, _quotaId, registrations) => {
      for (const registration of registrations) journal(kind, { registration });
    });
  }

  get isEmpty(): boolean {
    return this.usage.size === 0 && this.impactMetrics.isEmpty && this.registrations.isEmpty;
  }

  /** Yields all data. Each part is read when it is yielded; names that are added in the meantime may be missing. */
  *values(): Generator<PendingContent, undefined> {
    for (const usage of this.usage.values()) yield { usage };
    for (const { quotaId, item } of this.impactMetrics.values()) {
      yield { quotaId, impactMetrics: [item] };
    }
    for (const { item } of this.registrations.values()) yield { registration: item };
    return undefined;
  }

  /** Applies a change that an earlier process has recorded, regardless of limits. */
  apply(kind: ChangeKind, content: PendingContent): void {
    if ("usage" in content) this.usage.apply(kind, content.usage);
    else if ("impactMetrics" in content) {
      const { quotaId, impactMetrics } = content;
      this.impactMetrics.apply(kind, quotaId, impactMetrics.flatMap(toSingleSamples));
    } else {
      const { quotaId = DEFAULT_QUOTA } = content.registration;
      this.registrations.apply(kind, quotaId, [content.registration]);
    }
  }

  /** Adds what an earlier process has left, regardless of limits. */
  restore(content: PendingContent): void {
    if (!("impactMetrics" in content)) this.apply("add", content);
    else this.impactMetrics.restore(content.quotaId, content.impactMetrics);
  }
}
