import type { Context } from "../context.ts";
import { OFF } from "../outcome.ts";
import type { Diagnostic } from "../parse/diagnostics.ts";
import type { CompiledFlag, Evaluation, Snapshot, SnapshotOrigin } from "../snapshot.ts";
import type { Steps } from "../steps.ts";
import type { ContextDependencies } from "./context-fields.ts";
import type { SelectorEvaluator } from "./outcome-selector.ts";
import { EvaluationRequest } from "./evaluation-request.ts";
import type { FlagEvaluator, Slot } from "./evaluation-request.ts";
import { Rollout, RolloutTable } from "./rollout.ts";
import { Targeting, toTargetingTables } from "./targeting.ts";
import type { TargetingFlag, TargetingTable } from "./targeting.ts";

/** A flag of a snapshot and its evaluator. */
export interface SnapshotFlag {
  readonly compiled: CompiledFlag;
  readonly evaluator: SelectorEvaluator;
  readonly hasParents: boolean;
}

interface SnapshotOptions {
  readonly revision: string;
  readonly flags: readonly SnapshotFlag[];
  /** Evaluates the flags that are constant, or compiled to a rollout or to targeting. */
  readonly simpleFlags: SimpleFlags;
  readonly contextDependencies: ContextDependencies;
  /** The slots through which rules read each context field. */
  readonly slotsByField: ReadonlyMap<string, readonly Slot<unknown>[]>;
  readonly diagnostics: readonly Diagnostic[];
  readonly origin: SnapshotOrigin;
}

export class CompiledSnapshot implements Snapshot {
  readonly revision: string;
  readonly flags: readonly CompiledFlag[];
  readonly contextDependencies: ContextDependencies;
  readonly diagnostics: readonly Diagnostic[];
  readonly origin: SnapshotOrigin;
  readonly #slotsByField: SnapshotOptions["slotsByField"];
  readonly #evaluators: readonly FlagEvaluator[];
  readonly #indexes: ReadonlyMap<string, number>;
  readonly #simpleFlags: SimpleFlags;
  /** The flags that are not simple, parents before children. */
  readonly #otherFlags: readonly FlagEvaluator[];

  constructor(options: SnapshotOptions) {
    const { flags } = options;
    this.revision = options.revision;
    this.flags = Object.freeze(flags.map(({ compiled }) => compiled));
    this.contextDependencies = options.contextDependencies;
    this.diagnostics = options.diagnostics;
    this.origin = options.origin;
    this.#slotsByField = options.slotsByField;
    this.#evaluators = flags.map(({ evaluator }) => evaluator);
    this.#indexes = new Map(this.flags.map(({ name }, index) => [name, index]));
    this.#simpleFlags = options.simpleFlags;
    const others = flags.filter((flag) => !isSimple(flag));
    this.#otherFlags = [
      ...others.filter(({ hasParents }) => !hasParents),
      ...others.filter(({ hasParents }) => hasParents),
    ].map(({ evaluator }) => evaluator);
  }

  indexOf(name: string): number {
    return this.#indexes.get(name) ?? -1;
  }

  evaluate(index: number, context: Context): number {
    const constant = this.flags[index]?.constantOutcome;
    if (constant !== undefined) return constant;
    const request = new EvaluationRequest(context, this.origin);
    return this.#evaluators[index]?.evaluate(request) ?? OFF;
  }

  evaluateAll(context: Context, vector?: Int32Array): Evaluation {
    const outcomes = this.#simpleFlags.copyConstants(vector);
    const request = new EvaluationRequest(context, this.origin, outcomes);
    this.#simpleFlags.evaluate(request, outcomes);
    for (const flag of this.#otherFlags) outcomes[flag.index] = flag.evaluate(request);
    const { isRepeatable, isPredictable } = request;
    const hasRead = (field: string): boolean =>
      this.#slotsByField.get(field)?.some((slot) => request.hasRead(slot)) === true;
    return { outcomes, isRepeatable, isPredictable, hasRead };
  }
}

function isSimple({ compiled, evaluator }: SnapshotFlag): boolean {
  return compiled.constantOutcome !== undefined || typeof evaluator.selector === "object";
}

interface SimpleFlagsOptions {
  /** The outcome of each constant flag. Other flags may have any value. */
  readonly constants: readonly number[];
  readonly rollouts: RolloutTable;
  readonly targetings: readonly TargetingTable[];
}

/**
 * The flags that are constant, or compiled to a rollout or to targeting. They do not depend on other
 * flags, so they are evaluated together, in any order.
 */
class SimpleFlags {
  /** The outcomes that apply unless a rollout or targeting replaces them. */
  readonly #constants: Int32Array;
  readonly #rollouts: RolloutTable;
  readonly #targetings: readonly TargetingTable[];

  constructor({ constants, rollouts, targetings }: SimpleFlagsOptions) {
    this.#constants = new Int32Array(constants);
    this.#rollouts = rollouts;
    this.#targetings = targetings;
  }

  /** Copies the constant outcomes to the vector, or to a new one. */
  copyConstants(vector?: Int32Array): Int32Array {
    if (vector === undefined) return this.#constants.slice();
    vector.set(this.#constants);
    return vector;
  }

  /** Writes the other outcomes. */
  evaluate(request: EvaluationRequest, outcomes: Int32Array): void {
    this.#rollouts.evaluate(request, outcomes);
    // NOTE: after the rollouts, because the outcome of targeting replaces that of its rollout.
    for (const table of this.#targetings) table.evaluate(request, outcomes);
  }
}

/** Collects the simple flags, with a pause between the parts of the work. */
export function* collectSimpleFlags(flags: readonly SnapshotFlag[]): Steps<SimpleFlags> {
  const constants = flags.map(({ compiled }) => compiled.constantOutcome ?? OFF);
  const rollouts = new RolloutTable();
  const targetings: TargetingFlag[] = [];
  for (const { evaluator } of flags) {
    const { index, selector } = evaluator;
    if (typeof selector !== "object") continue;
    if (selector instanceof Targeting) targetings.push({ index, targeting: selector });
    const untargeted = selector instanceof Targeting ? selector.otherwise : selector;
    if (untargeted instanceof Rollout) rollouts.add(index, untargeted);
    else constants[index] = untargeted;
  }
  yield;
  const tables = toTargetingTables(targetings);
  yield;
  return new SimpleFlags({ constants, rollouts, targetings: tables });
}
