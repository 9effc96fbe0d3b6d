import type { EvaluableFeature, EvaluationRequest } from "./evaluation-request.ts";
import type { Condition } from "./condition.ts";
import { resolve, type Answer, type Decision } from "./decision.ts";
import type { Split } from "./rollout.ts";
import type { Targeting } from "./targeting-old.ts";

/**
 * How one flag is evaluated. This is a hot path: most flags have one decision to take, so the first
 * one is taken here and not in a function of its own.
 */
export class FlagEvaluation implements EvaluableFeature {
  readonly index: number;
  readonly #condition: Condition;
  readonly #answer: Answer;
  readonly #otherwise: Answer;

  constructor(index: number, { condition, answer, otherwise }: Decision) {
    this.index = index;
    this.#condition = condition;
    this.#answer = answer;
    this.#otherwise = otherwise;
  }

  evaluate(request: EvaluationRequest): number {
    const condition = this.#condition;
    const holds = typeof condition === "boolean" ? condition : condition(request);
    return resolve(holds ? this.#answer : this.#otherwise, request);
  }
}

/** How a flag is evaluated that is nothing but a split or a targeting. */
export class SimpleEvaluation implements EvaluableFeature {
  readonly index: number;
  readonly answer: Split | Targeting;

  constructor(index: number, answer: Split | Targeting) {
    this.index = index;
    this.answer = answer;
  }

  evaluate(request: EvaluationRequest): number {
    return this.answer.decide(request);
  }
}
