import type { ImpactMetricsBuffer } from "../impact-metrics.ts";
import type { RegistrationBuffer } from "../registration-buffer.ts";
import type { UsageBuffer } from "../usage-buffer.ts";
import type { SpoolContent } from "./spool-record.ts";

interface Buffers {
  readonly usage: UsageBuffer;
  readonly impactMetrics: ImpactMetricsBuffer;
  readonly registrations: RegistrationBuffer;
}

/** The data in memory that the spool makes durable: what is pending or being sent. */
export class PendingData {
  readonly #buffers: Buffers;

  constructor(buffers: Buffers) {
    this.#buffers = buffers;
  }

  get isEmpty(): boolean {
    const { usage, impactMetrics, registrations } = this.#buffers;
    return usage.keys.length === 0 && impactMetrics.isEmpty && registrations.isEmpty;
  }

  /**
   * Yields all data. Each part is read when it is yielded; names that are added in the meantime may be
   * missing.
   */
  *values(): Generator<SpoolContent, undefined, undefined> {
    const { usage, impactMetrics, registrations } = this.#buffers;
    for (const [quotaId, appName] of usage.keys) {
      const total = usage.totalOf(quotaId, appName);
      if (total !== undefined) yield { usage: total };
    }
    for (const [quotaId, metric] of impactMetrics.totals()) {
      yield { quotaId, impactMetrics: [metric] };
    }
    for (const registration of registrations.values()) yield { registration };
    return undefined;
  }

  /** Adds data of an earlier process, regardless of limits. */
  restore(content: SpoolContent): void {
    const { usage, impactMetrics, registrations } = this.#buffers;
    if ("usage" in content) usage.restore(content.usage);
    else if ("impactMetrics" in content)
      impactMetrics.restore(content.quotaId, content.impactMetrics);
    else registrations.restore(content.registration);
  }
}
