import type { EvaluationRequest } from "../request/evaluation-request.ts";
import type { Steps } from "../steps.ts";
import type { Parent } from "./compile-dependencies.ts";
import { SimpleEvaluation } from "./flag-evaluation.ts";
import { OFF } from "./outcome-table.ts";
import { quadMemory } from "./split-table/quad-memory.ts";
import { toSplitTables, type SplitFlag, type SplitTable } from "./split-table/split-table.ts";
import { Split } from "./split.ts";
import { Targeting } from "./targeting.ts";
import { toTargetingTables, type TargetingFlag, type TargetingTable } from "./targeting-table.ts";

interface SimpleParts {
  /** The constant outcome of each flag, whatever it is for those that have none. */
  readonly constants: readonly number[];
  readonly splits: readonly SplitTable[];
  readonly targetings: readonly TargetingTable[];
}

/**
 * The flags that are constant, or a split, or a targeting. None of them looks at another flag, so
 * they are decided together and in any order.
 */
export class SimpleFlags {
  /** What is the same for everybody, for those in no list at least. */
  readonly #constants: Int32Array;
  readonly #splits: readonly SplitTable[];
  readonly #targetings: readonly TargetingTable[];

  constructor({ constants, splits, targetings }: SimpleParts) {
    this.#constants = new Int32Array(constants);
    this.#splits = splits;
    this.#targetings = targetings;
  }

  /**
   * A vector of outcomes, with those that need no request in their places: the given one, whatever
   * was in it, or a new one.
   */
  constants(outcomes?: Int32Array): Int32Array {
    if (outcomes === undefined) return this.#constants.slice();
    outcomes.set(this.#constants);
    return outcomes;
  }

  /** Writes the other outcomes to their places. */
  decide(request: EvaluationRequest, outcomes: Int32Array): void {
    for (const table of this.#splits) table.decide(request, outcomes, quadMemory());
    // NOTE: second, since who is in a list is not in what all others get.
    for (const table of this.#targetings) table.decide(request, outcomes);
  }
}

/** Lays out the simple ones of some flags, with a pause after each part of the work. */
export function* toSimpleFlags(flags: readonly Parent[]): Steps<SimpleFlags> {
  const constants = flags.map(({ compiled }) => compiled.constantOutcome ?? OFF);
  const splits: SplitFlag[] = [];
  const targetings: TargetingFlag[] = [];
  for (const { evaluable } of flags) {
    if (!(evaluable instanceof SimpleEvaluation)) continue;
    const { index, answer } = evaluable;
    if (answer instanceof Targeting) targetings.push({ index, targeting: answer });
    const untargeted = answer instanceof Targeting ? answer.otherwise : answer;
    if (untargeted instanceof Split) splits.push({ index, split: untargeted });
    else constants[index] = untargeted;
  }
  yield;
  const splitTables = yield* toSplitTables(splits);
  yield;
  const targetingTables = toTargetingTables(targetings);
  yield;
  return new SimpleFlags({ constants, splits: splitTables, targetings: targetingTables });
}
