import { FairShare } from "flags-server-kit/neutral";
import type { ChangeKind, PendingContent } from "./application-usage.ts";
import { ImpactMetricsBuffer } from "./impact-metrics.ts";
import { RegistrationBuffer } from "./registration-buffer.ts";
import { UsageBuffer, type UsageBufferOptions } from "./usage-buffer.ts";
import { USAGE_LIMITS } from "./usage-limits.ts";

const ignore = (): void => undefined;

/** What is pending: accepted, but not delivered. */
export class PendingData {
  readonly usage: UsageBuffer;
  readonly impactMetrics: ImpactMetricsBuffer;
  readonly registrations: RegistrationBuffer;

  /**
   * By default, all flags are known but no variants, and changes are not recorded. The memory is the budget of all data.
   */
  constructor({
    now = Date.now,
    limits = USAGE_LIMITS,
    memory = new FairShare(limits.bytes),
    isKnown = (_flag, variant) => variant === undefined,
    onDropped = ignore,
    journal = ignore,
  }: Partial<UsageBufferOptions> = {}) {
    this.usage = new UsageBuffer({ now, limits, memory, isKnown, onDropped, journal });
    this.impactMetrics = new ImpactMetricsBuffer(memory, journal);
    this.registrations = new RegistrationBuffer(memory, journal);
  }

  get isEmpty(): boolean {
    return this.usage.size === 0 && this.impactMetrics.isEmpty && this.registrations.isEmpty;
  }

  /** Yields all data. Each part is read when it is yielded; names that are added in the meantime may be missing. */
  *values(): Generator<PendingContent, undefined, undefined> {
    for (const usage of this.usage.values()) yield { usage };
    for (const [quotaId, metric] of this.impactMetrics.values()) {
      yield { quotaId, impactMetrics: [metric] };
    }
    for (const registration of this.registrations.values()) yield { registration };
    return undefined;
  }

  /** Applies a change that an earlier process has recorded, regardless of limits. */
  apply(kind: ChangeKind, content: PendingContent): void {
    if ("usage" in content) this.usage.apply(kind, content.usage);
    else if ("registration" in content) this.registrations.apply(kind, content.registration);
    else this.impactMetrics.apply(kind, content.quotaId, content.impactMetrics);
  }

  /** Adds what an earlier process has left, regardless of limits. */
  restore(content: PendingContent): void {
    if ("impactMetrics" in content) {
      this.impactMetrics.restore(content.quotaId, content.impactMetrics);
    } else this.apply("add", content);
  }
}
