import type { Context } from "../context.ts";
import { OFF } from "../outcome.ts";
import type { Diagnostic } from "../parse/diagnostics.ts";
import type {
  CompiledFlag,
  Evaluation,
  Snapshot,
  SnapshotFlag,
  SnapshotOrigin,
} from "../snapshot.ts";
import type { Steps } from "../steps.ts";
import type { ContextDependencies, ContextFields } from "./context-fields.ts";
import { EvaluationRequest } from "./evaluation-request.ts";
import { selectOutcome } from "./outcome-selector.ts";
import { Rollout, RolloutTable } from "./rollout.ts";
import { Targeting, toTargetingTables } from "./targeting.ts";
import type { TargetingFlag, TargetingTable } from "./targeting.ts";

interface SnapshotOptions {
  readonly revision: string;
  /** Evaluates the flags that are constant, or compiled to a rollout or to targeting. */
  readonly simpleFlags: SimpleFlags;
  /** What the rules of the flags read. */
  readonly fields: ContextFields;
  readonly diagnostics: readonly Diagnostic[];
  readonly origin: SnapshotOrigin;
}

export class CompiledSnapshot implements Snapshot {
  readonly revision: string;
  readonly flags: readonly CompiledFlag[];
  readonly contextDependencies: ContextDependencies;
  readonly diagnostics: readonly Diagnostic[];
  readonly origin: SnapshotOrigin;
  readonly #fields: ContextFields;
  readonly #indexes: ReadonlyMap<string, number>;
  readonly #simpleFlags: SimpleFlags;
  /** The flags that are not simple, parents before children. */
  readonly #otherFlags: readonly SnapshotFlag[];

  constructor(options: SnapshotOptions) {
    const { flags } = options.origin;
    this.revision = options.revision;
    this.flags = Object.freeze(flags.map(({ compiled }) => compiled));
    this.contextDependencies = options.fields.contextDependencies();
    this.diagnostics = options.diagnostics;
    this.origin = options.origin;
    this.#fields = options.fields;
    this.#indexes = new Map(this.flags.map(({ name }, index) => [name, index]));
    this.#simpleFlags = options.simpleFlags;
    const others = flags.filter(({ selector }) => typeof selector === "function");
    this.#otherFlags = [
      ...others.filter(({ hasParents }) => !hasParents),
      ...others.filter(({ hasParents }) => hasParents),
    ];
  }

  indexOf(name: string): number {
    return this.#indexes.get(name) ?? -1;
  }

  evaluate(index: number, context: Context): number {
    const selector = this.origin.flags[index]?.selector ?? OFF;
    if (typeof selector === "number") return selector;
    return selectOutcome(selector, new EvaluationRequest(context, this.origin));
  }

  evaluateAll(context: Context, vector?: Int32Array): Evaluation {
    const { constants, rollouts, targetings } = this.#simpleFlags;
    const outcomes = vector ?? new Int32Array(constants.length);
    outcomes.set(constants);
    const request = new EvaluationRequest(context, this.origin, outcomes);
    rollouts.evaluate(request, outcomes);
    // NOTE: after the rollouts, because the outcome of targeting replaces that of its rollout.
    for (const table of targetings) table.evaluate(request, outcomes);
    for (const { index, selector } of this.#otherFlags) {
      outcomes[index] = selectOutcome(selector, request);
    }
    const { isRepeatable, isPredictable } = request;
    const hasRead = (field: string): boolean =>
      this.#fields.slotsOf(field).some((slot) => request.hasRead(slot));
    return { outcomes, isRepeatable, isPredictable, hasRead };
  }
}

/**
 * The flags that are constant, or compiled to a rollout or to targeting. They do not depend on other
 * flags, so they are evaluated together, in any order.
 */
interface SimpleFlags {
  /** The outcome of each flag that applies unless a rollout or targeting replaces it. Other flags may have any value. */
  readonly constants: Int32Array;
  readonly rollouts: RolloutTable;
  readonly targetings: readonly TargetingTable[];
}

/** Collects the simple flags, with a pause between the parts of the work. */
export function* collectSimpleFlags(flags: readonly SnapshotFlag[]): Steps<SimpleFlags> {
  const constants = Int32Array.from(flags, ({ compiled }) => compiled.constantOutcome ?? OFF);
  const rollouts = new RolloutTable();
  const targetings: TargetingFlag[] = [];
  for (const { index, selector } of flags) {
    if (typeof selector !== "object") continue;
    if (selector instanceof Targeting) targetings.push({ index, targeting: selector });
    const untargeted = selector instanceof Targeting ? selector.otherwise : selector;
    if (untargeted instanceof Rollout) rollouts.add(index, untargeted);
    else constants[index] = untargeted;
  }
  yield;
  const tables = toTargetingTables(targetings);
  yield;
  return { constants, rollouts, targetings: tables };
}
