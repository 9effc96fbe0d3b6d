import type { Context } from "@opentelemetry/api";
import { type Logger, SeverityNumber } from "@opentelemetry/api-logs";
import { TokenBucket } from "../http/token-bucket.ts";
import type { FlagEvaluation } from "./telemetry.ts";

/** More would displace log lines: the queue for both holds 2048 by default. */
const BUDGET = { burst: 1000, perSecond: 500 };

/**
 * Reports evaluations of flags as events `feature_flag.evaluation`, or none of them if they exceed the rate.
 *
 * @param contextId identifies for whom the flags were evaluated; undefined if reports do not say that
 */
export type ReportEvaluations = (
  evaluations: readonly FlagEvaluation[],
  contextId: string | undefined,
  context: Context,
) => void;

export function createEvaluationEvents(
  logger: Logger,
  providerName: string,
  now: () => number,
): ReportEvaluations {
  const budget = new TokenBucket(BUDGET, now());
  return (evaluations, contextId, context) => {
    const count = evaluations.length;
    if (count === 0 || budget.tryTake(count, now()) > 0) return;
    for (const { key, enabled, variant, reason, set, version } of evaluations) {
      logger.emit({
        eventName: "feature_flag.evaluation",
        severityNumber: SeverityNumber.INFO,
        context,
        attributes: {
          "feature_flag.key": key,
          "feature_flag.provider.name": providerName,
          "feature_flag.result.reason": reason.toLowerCase(),
          "feature_flag.result.value": enabled,
          "feature_flag.set.id": set,
          "feature_flag.version": version,
          ...(contextId !== undefined && { "feature_flag.context.id": contextId }),
          ...(variant !== undefined && { "feature_flag.result.variant": variant }),
        },
      });
    }
  };
}
