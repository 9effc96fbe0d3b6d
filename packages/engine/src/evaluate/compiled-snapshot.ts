import { OFF } from "../outcome.ts";
import type { Diagnostic } from "../parse/diagnostics.ts";
import type { Snapshot, SnapshotFlag, SnapshotOrigin } from "../snapshot.ts";
import type { Steps } from "../steps.ts";
import type { ContextFields } from "./context-fields.ts";
import { EvaluationRequest } from "./evaluation-request.ts";
import { selectOutcome } from "./outcome-selector.ts";
import { Rollout, RolloutTable } from "./rollout.ts";
import { Targeting, TargetingTable } from "./targeting.ts";
import type { TargetingFlag } from "./targeting.ts";

interface SnapshotOptions {
  readonly revision: string;
  readonly simpleFlags: SimpleFlags;
  readonly fields: ContextFields;
  readonly diagnostics: readonly Diagnostic[];
  readonly origin: SnapshotOrigin;
}

export function createSnapshot(options: SnapshotOptions): Snapshot {
  const { origin, fields, simpleFlags, ...others } = options;
  const { constants, rollouts, targetings } = simpleFlags;
  const flags = origin.flags.map(({ compiled }) => compiled);
  const selectors = origin.flags.map(({ selector }) => selector);
  const indexes = new Map(flags.map(({ name }, index) => [name, index]));
  const otherFlags = origin.flags.filter(({ selector }) => typeof selector === "function");
  const parentsFirst = [
    ...otherFlags.filter(({ hasParents }) => !hasParents),
    ...otherFlags.filter(({ hasParents }) => hasParents),
  ];
  return {
    ...others,
    origin,
    flags: Object.freeze(flags),
    contextDependencies: fields.contextDependencies(),
    indexOf: (name) => indexes.get(name) ?? -1,
    evaluate: (index, context) => {
      const selector = selectors[index] ?? OFF;
      if (typeof selector === "number") return selector;
      return selectOutcome(selector, new EvaluationRequest(context, origin));
    },
    evaluateAll: (context, outcomes = new Int32Array(constants.length)) => {
      outcomes.set(constants);
      const request = new EvaluationRequest(context, origin, outcomes);
      rollouts.evaluate(request, outcomes);
      // NOTE: after the rollouts, because the outcome of targeting replaces that of its rollout.
      targetings.evaluate(request, outcomes);
      for (const { index, selector } of parentsFirst) {
        outcomes[index] = selectOutcome(selector, request);
      }
      const { isRepeatable, isPredictable } = request;
      const hasRead = (field: string): boolean =>
        fields.slotsOf(field).some((slot) => request.hasRead(slot));
      return { outcomes, isRepeatable, isPredictable, hasRead };
    },
  };
}

/**
 * The flags that are constant, or compiled to a rollout or to targeting. They do not depend on other
 * flags, so they are evaluated together, in any order.
 */
interface SimpleFlags {
  /** The outcome of each flag that applies unless a rollout or targeting replaces it. Other flags may have any value. */
  readonly constants: Int32Array;
  readonly rollouts: RolloutTable;
  readonly targetings: TargetingTable;
}

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
  const table = new TargetingTable(targetings);
  yield;
  return { constants, rollouts, targetings: table };
}
