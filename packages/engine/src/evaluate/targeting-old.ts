import type { EvaluationRequest } from "./evaluation-request.ts";
import type { Membership } from "./membership-old.ts";
import type { Split } from "./rollout.ts";

/** An outcome that is the same for every request, or goes by a bucket. */
export type NumberOrSplit = number | Split;

interface TargetingParts {
  /** One list or more. */
  readonly lists: readonly Membership[];
  readonly answer: NumberOrSplit;
  readonly otherwise: NumberOrSplit;
}

/**
 * One answer for those who are in every one of some lists, another for all others. Flags for some
 * users, countries or plans come down to one of these.
 */
export class Targeting {
  readonly lists: readonly Membership[];
  readonly answer: NumberOrSplit;
  readonly otherwise: NumberOrSplit;

  constructor({ lists, answer, otherwise }: TargetingParts) {
    this.lists = lists;
    this.answer = answer;
    this.otherwise = otherwise;
  }

  decide(request: EvaluationRequest): number {
    const isTargeted = this.lists.every((list) => list.read(request));
    return settle(isTargeted ? this.answer : this.otherwise, request);
  }
}

/** The outcome for a request. */
export function settle(answer: NumberOrSplit, request: EvaluationRequest): number {
  return typeof answer === "number" ? answer : answer.decide(request);
}
