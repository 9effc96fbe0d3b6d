import type { ApplicationUsage } from "flags-sdk";
import { type GrantedSource, restrictUsage } from "../access/restricted-source.ts";
import { tooMuchUsage } from "../errors.ts";
import type { UsageMetrics } from "../metrics.ts";

/** Dependencies of accepting usage. */
export interface UsageRules {
  readonly metrics: UsageMetrics;
  /** Time between two reports to the upstream, each of which empties the buffer. */
  readonly metricsIntervalMs: number;
}

/**
 * Passes usage to a source, all at once, so that one write to the spool covers it. If the usage of
 * one application exceeds a limit, that of others may have been counted. It counts twice if the
 * client sends the report again, which is better than losing it.
 *
 * @throws {HttpError} 503 if a limit is exceeded
 */
export async function acceptUsage(
  source: GrantedSource,
  usages: readonly ApplicationUsage[],
  { metrics, metricsIntervalMs }: UsageRules,
): Promise<void> {
  const accepted = await Promise.all(
    usages.map(async (sent) => {
      const { usage, omittedCount } = restrictUsage(source, sent);
      if (omittedCount > 0) metrics.usageDropped.inc({ kind: "not_allowed" }, omittedCount);
      const count = Object.keys(usage.features).length;
      if (count === 0 && usage.impactMetrics === undefined) return true;
      // NOTE: sources written in JavaScript may return nothing, which counts as accepted.
      const isAccepted: unknown = await source.reportUsage(usage);
      if (isAccepted === false) return false;
      metrics.usageEntries.inc(count);
      metrics.flagUsage?.count(source, usage);
      return true;
    }),
  );
  if (accepted.every(Boolean)) return;
  metrics.usageRefused.inc();
  throw tooMuchUsage(metricsIntervalMs);
}
