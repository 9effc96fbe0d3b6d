import type { ApplicationUsage } from "flags-sdk";
import type { GrantedSource } from "../access/restricted-source.ts";
import { tooMuchUsage } from "../errors.ts";
import type { UsageMetrics } from "../metrics.ts";

/** Dependencies of accepting usage. */
export interface UsageRules {
  readonly metrics: UsageMetrics;
  /** Time between two reports to the upstream, each of which empties the buffer. */
  readonly metricsIntervalMs: number;
}

/**
 * Passes usage to a source. If a later one of several usages exceeds a limit, the earlier ones have
 * been counted. They count twice if the client sends the report again, which is better than losing
 * them.
 *
 * @throws {HttpError} 503 if a limit is exceeded
 */
export async function acceptUsage(
  source: GrantedSource,
  usages: readonly ApplicationUsage[],
  { metrics, metricsIntervalMs }: UsageRules,
): Promise<void> {
  for (const usage of usages) {
    const count = Object.keys(usage.features).length;
    if (count === 0 && usage.impactMetrics === undefined) continue;
    // NOTE: sources written in JavaScript may return nothing, which counts as accepted.
    // oxlint-disable-next-line no-await-in-loop -- stops at the first one that is refused
    const isAccepted: unknown = await source.reportUsage(usage);
    if (isAccepted === false) {
      metrics.usageRefused.inc();
      throw tooMuchUsage(metricsIntervalMs);
    }
    metrics.usageEntries.inc(count);
    metrics.flagUsage?.count(source, usage);
  }
}
