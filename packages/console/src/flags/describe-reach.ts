import type { FlagSummary } from "../api/types.ts";
import { describeCount, formatPercent } from "../ui/numbers.ts";
import { formatTimeWithUtc } from "../ui/times.ts";

type State = FlagSummary["environments"][number];

/** What a flag does in an environment, in few words. */
export interface ReachText {
  /** Whom it reaches, for example "25%" or "2 segments". */
  readonly audience: string;
  /** What they get, for example "3 variants"; empty for nothing but the flag. */
  readonly variants: string;
  /** The next step of a rollout plan, for example "then 50%"; undefined if there is none. */
  readonly next?: { readonly text: string; readonly details: string };
}

/** Describes whom a flag reaches in an environment, as short as a list of flags needs it. */
export function describeReach({
  enabled,
  variantCount,
  hasStrategies,
  reach,
  nextStep,
}: State): ReachText {
  // A flag whose strategies are all disabled is sent to applications as off.
  if (!enabled || (hasStrategies && reach.strategyCount === 0)) {
    return { audience: "off", variants: "" };
  }
  return {
    audience: describeAudience(reach),
    variants: variantCount === 0 ? "" : describeVariants(variantCount, reach.strategyCount),
    ...(nextStep !== undefined && {
      next: { text: `then ${formatPercent(nextStep.rollout)}`, details: describeNext(nextStep) },
    }),
  };
}

/** Says when the next step of a rollout plan comes. */
function describeNext({ state, nextAt }: NonNullable<State["nextStep"]>): string {
  if (state === "paused") return "The rollout plan is paused";
  return nextAt === null ? "When somebody goes on" : `On ${formatTimeWithUtc(nextAt)}`;
}

function describeAudience({ percentage, conditionalCount, segmentCount }: State["reach"]): string {
  if (percentage !== null && percentage >= 100) return "everyone";
  const parts = [
    ...(percentage === null || percentage === 0 ? [] : [formatPercent(percentage)]),
    ...(conditionalCount === 0
      ? []
      : [
          segmentCount === 0
            ? describeCount(conditionalCount, "rule")
            : describeCount(segmentCount, "segment"),
        ]),
  ];
  return parts.length === 0 ? "nobody" : parts.join(" + ");
}

/** NOTE: several strategies usually have the same variants, so their sum says nothing. */
function describeVariants(count: number, strategies: number): string {
  return strategies > 1 ? "variants" : describeCount(count, "variant");
}
