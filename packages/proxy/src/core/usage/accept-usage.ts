import type { UsageMetrics } from "../../metrics/usage-metrics.ts";
import type { ApplicationUsage } from "../../upstream/usage/application-usage.ts";
import type { VisibleFlags } from "../access/visible-flags.ts";
import { unavailable } from "../http/errors.ts";
import type { FlagUsage } from "./flag-usage.ts";

const MAX_RETRY_AFTER_SECONDS = 60;

export interface UsageRules {
  readonly metrics: { readonly [Name in keyof UsageMetrics]: Pick<UsageMetrics[Name], "inc"> };
  /** Counts the usage of each flag. Undefined: it is not counted. */
  readonly flagUsage: FlagUsage | undefined;
  /** Time between two reports to the upstream, each of which empties the buffer. */
  readonly metricsIntervalMs: number;
}

/**
 * Passes usage to the source of flags, all at once, so that one write to the spool covers it. If one application exceeds a
 * limit, others may have been counted, and count twice if the client sends the report again.
 *
 * @throws {HttpError} 503 if a limit is exceeded
 */
export async function acceptUsage(
  flags: VisibleFlags,
  usages: readonly ApplicationUsage[],
  { metrics, flagUsage, metricsIntervalMs }: UsageRules,
): Promise<void> {
  const accepted = await Promise.all(
    usages.map(async (sent) => {
      const { usage, omittedCount } = restrictUsage(flags, sent);
      if (omittedCount > 0) metrics.dropped.inc({ kind: "not_allowed" }, omittedCount);
      const count = Object.keys(usage.features).length;
      if (count === 0 && usage.impactMetrics === undefined) return true;
      // NOTE: sources written in JavaScript may return nothing, which counts as accepted.
      const isAccepted: unknown = await flags.source.flags.reportUsage(usage);
      if (isAccepted === false) return false;
      metrics.entries.inc(count);
      flagUsage?.count(flags, usage);
      return true;
    }),
  );
  if (accepted.every(Boolean)) return;
  metrics.refused.inc();
  throw unavailable(
    "Too much usage is waiting to be sent upstream. This report was not counted: send it again later. " +
      "A shorter `metricsInterval` (FLAGS_METRICS_INTERVAL) empties the buffer more often",
    Math.min(Math.max(Math.ceil(metricsIntervalMs / 1000), 1), MAX_RETRY_AFTER_SECONDS),
  );
}

/** Omits usage of flags that are hidden, or that do not exist: nobody can find out which. */
function restrictUsage(flags: VisibleFlags, usage: ApplicationUsage) {
  if (flags.areAll) return { usage, omittedCount: 0 };
  const entries = Object.entries(usage.features);
  const accepted = entries.filter(([name]) => flags.acceptsUsageOf(name));
  // NOTE: no prototype, since a flag can be named `__proto__`.
  const features = Object.create(null) as Record<string, (typeof entries)[number][1]>;
  for (const [name, counts] of accepted) features[name] = counts;
  return { usage: { ...usage, features }, omittedCount: entries.length - accepted.length };
}
