import type { Evaluation } from "../api/types.ts";
import { joinWithOr } from "../ui/words.ts";

/** What a person wants to know about a result first. */
export interface Outcome {
  /** Unknown if it depends on a custom strategy, which only applications have. */
  readonly state: "on" | "off" | "unknown";
  /** @default the flag is off or has no variant */
  readonly variant?: string;
}

export function outcomeOf(evaluation: Evaluation): Outcome {
  const { isEnabled, isEnabledInCurrentEnvironment, hasUnsatisfiedDependency } = evaluation;
  const { strategies, variant } = evaluation;
  if (isEnabled) {
    return { state: "on", ...(variant.enabled && { variant: variant.name }) };
  }
  const isOpen = isEnabledInCurrentEnvironment && !hasUnsatisfiedDependency;
  return { state: isOpen && strategies.result === "unknown" ? "unknown" : "off" };
}

/** Returns why a flag has its result, in one sentence. */
export function explainOutcome(evaluation: Evaluation): string {
  if (outcomeOf(evaluation).state !== "unknown") return evaluation.explanation;
  const names = evaluation.strategies.data
    .filter(
      ({ result }) => result.enabled === "unknown" && result.evaluationStatus === "incomplete",
    )
    .map(({ name }) => name);
  return `The result depends on the custom strategy ${joinWithOr([...new Set(names)])}, which only applications have.`;
}
