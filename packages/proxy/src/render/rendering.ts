import type { Snapshot } from "flags-engine";
import type { Dialect } from "./dialect.ts";
import { createFragment, type Fragment } from "./fragment.ts";

/** Every answer that a snapshot can give, written in one dialect. */
export interface Rendering {
  readonly snapshot: Snapshot;
  readonly dialect: Dialect;
  /** By position of the flag in the snapshot, then by outcome. */
  readonly fragments: readonly (readonly Fragment[])[];
}

/** Returns a function that prepares a snapshot at its first use, and forgets it with the snapshot. */
export function createRenderer(dialect: Dialect): (snapshot: Snapshot) => Rendering {
  const renderings = new WeakMap<Snapshot, Rendering>();
  return (snapshot) => {
    let rendering = renderings.get(snapshot);
    if (rendering === undefined) {
      rendering = { snapshot, dialect, fragments: writeFragments(snapshot, dialect) };
      renderings.set(snapshot, rendering);
    }
    return rendering;
  };
}

function writeFragments(
  { features }: Snapshot,
  dialect: Dialect,
): readonly (readonly Fragment[])[] {
  return features.map((feature) =>
    feature.outcomes.map((outcome) => createFragment(dialect.writeFlag(feature, outcome))),
  );
}
