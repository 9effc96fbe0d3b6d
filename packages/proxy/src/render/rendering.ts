import type { Snapshot } from "flags-engine";
import type { Dialect } from "./dialect.ts";
import { createFragment, type Fragment } from "./fragment.ts";
import { planSteps, type Step } from "./steps.ts";

/** Every answer that a snapshot can give, written in one dialect. */
export interface Rendering {
  readonly snapshot: Snapshot;
  readonly dialect: Dialect;
  /** By position of the flag in the snapshot, then by outcome. */
  readonly fragments: readonly (readonly Fragment[])[];
  /** The way to an answer of the flags that are on. */
  readonly enabledSteps: readonly Step[];
  /** The way to an answer of all flags. */
  readonly allSteps: readonly Step[];
}

/** Returns a function that prepares a snapshot at its first use, and forgets it with the snapshot. */
export function createRenderer(dialect: Dialect): (snapshot: Snapshot) => Rendering {
  const renderings = new WeakMap<Snapshot, Rendering>();
  return (snapshot) => {
    let rendering = renderings.get(snapshot);
    if (rendering === undefined) {
      rendering = prepare(snapshot, dialect);
      renderings.set(snapshot, rendering);
    }
    return rendering;
  };
}

function prepare(snapshot: Snapshot, dialect: Dialect): Rendering {
  const fragments = snapshot.features.map((feature) =>
    feature.outcomes.map((outcome) => createFragment(dialect.writeFlag(feature, outcome))),
  );
  return {
    snapshot,
    dialect,
    fragments,
    enabledSteps: planSteps(snapshot, fragments, ({ enabled }) => enabled),
    allSteps: planSteps(snapshot, fragments, () => true),
  };
}
