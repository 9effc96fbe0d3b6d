import type { EvaluationRequest } from "./evaluation-request.ts";
import type { Steps } from "../steps.ts";
import type { Parent } from "../compile/compile-dependencies.ts";
import { SimpleEvaluation } from "./flag-evaluation.ts";
import { OFF } from "../compile/outcome-table.ts";
import { Split } from "./rollout.ts";
import { Targeting } from "./targeting-old.ts";
import { toTargetingTables, type TargetingFlag, type TargetingTable } from "./targeting.ts";

/** A flag that is a split. */
interface SplitFlag {
  readonly index: number;
  readonly split: Split;
}

interface SimpleParts {
  /** The outcome of each constant flag; any value for the others. */
  readonly constants: readonly number[];
  readonly splits: readonly SplitFlag[];
  readonly targetings: readonly TargetingTable[];
}

/**
 * The flags that are constant, a split or a targeting. None of them depends on another flag, so they
 * are evaluated together and in any order.
 */
export class SimpleFlags {
  /** The outcomes that do not depend on the context, or only for contexts in some list. */
  readonly #constants: Int32Array;
  readonly #splits: readonly SplitFlag[];
  readonly #targetings: readonly TargetingTable[];

  constructor({ constants, splits, targetings }: SimpleParts) {
    this.#constants = new Int32Array(constants);
    this.#splits = splits;
    this.#targetings = targetings;
  }

  /** Writes the outcomes of the constant flags to their places, in a new vector unless one is given. */
  constants(vector?: Int32Array): Int32Array {
    if (vector === undefined) return this.#constants.slice();
    vector.set(this.#constants);
    return vector;
  }

  /** Writes the other outcomes to their places. */
  decide(request: EvaluationRequest, outcomes: Int32Array): void {
    for (const { index, split } of this.#splits) outcomes[index] = split.decide(request);
    // NOTE: second, since the outcome for a context in a list overrides the one for all others.
    for (const table of this.#targetings) table.decide(request, outcomes);
  }
}

/** Collects the simple flags, in steps. */
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
  const targetingTables = toTargetingTables(targetings);
  yield;
  return new SimpleFlags({ constants, splits, targetings: targetingTables });
}
