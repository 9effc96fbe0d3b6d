import type { EvaluationRequest } from "../request/evaluation-request.ts";
import type { SimpleEvaluation } from "./flag-evaluation.ts";
import { toSplitTables, type SplitFlag, type SplitTable } from "./split-table.ts";
import { Split } from "./split.ts";
import { Targeting } from "./targeting.ts";
import { toTargetingTables, type TargetingTable } from "./targeting-table.ts";

/**
 * The flags that are constant, or a split, or a targeting. None of them looks at another flag, so
 * they are decided together and in any order.
 */
export class SimpleFlags {
  /** What is the same for everybody, for those in no list at least. */
  readonly #constants: readonly number[];
  readonly #splits: readonly SplitTable[];
  readonly #targetings: readonly TargetingTable[];

  /** Takes the constant outcome of each flag, whatever it is for those that have none. */
  constructor(constants: readonly number[], flags: readonly SimpleEvaluation[]) {
    const outcomes = [...constants];
    const splits: SplitFlag[] = [];
    const targetings: { index: number; targeting: Targeting }[] = [];
    for (const { index, answer } of flags) {
      if (answer instanceof Targeting) targetings.push({ index, targeting: answer });
      const untargeted = answer instanceof Targeting ? answer.otherwise : answer;
      if (untargeted instanceof Split) splits.push({ index, split: untargeted });
      else outcomes[index] = untargeted;
    }
    this.#constants = outcomes;
    this.#splits = toSplitTables(splits);
    this.#targetings = toTargetingTables(targetings);
  }

  /** A new vector of outcomes, with those that need no request in their places. */
  constants(): number[] {
    return this.#constants.slice();
  }

  /** Writes the other outcomes to their places. */
  decide(request: EvaluationRequest, outcomes: number[]): void {
    for (const table of this.#splits) table.decide(request, outcomes);
    // NOTE: second, since who is in a list is not in what all others get.
    for (const table of this.#targetings) table.decide(request, outcomes);
  }
}
