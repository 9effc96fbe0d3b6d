import type { CompiledFeature, Snapshot } from "flags-engine";
import type { Dialect } from "./dialect.ts";
import { FlagFragments } from "./flag-fragments.ts";
import type { Fragment } from "./fragment.ts";
import { cutIntoStretches, type Stretch } from "./stretch.ts";

/** Every answer that a snapshot can give, written in one dialect. */
export interface Rendering {
  readonly snapshot: Snapshot;
  readonly dialect: Dialect;
  /** By position of the flag in the snapshot. */
  readonly flags: readonly FlagFragments[];
  /** What an answer of the flags that are on is made of. */
  readonly enabledStretches: readonly Stretch[];
  /** What an answer of all flags is made of. */
  readonly allStretches: readonly Stretch[];
}

/** Returns a function that prepares a snapshot at its first use, and forgets it with the snapshot. */
export function createRenderer(dialect: Dialect): (snapshot: Snapshot) => Rendering {
  const renderings = new WeakMap<Snapshot, Rendering>();
  // NOTE: a flag that a change leaves as it was is the same object in the snapshot after it.
  const fragments = new WeakMap<CompiledFeature, (Fragment | undefined)[]>();
  const fragmentsOf = (feature: CompiledFeature): (Fragment | undefined)[] => {
    const known = fragments.get(feature) ?? [];
    fragments.set(feature, known);
    return known;
  };
  return (snapshot) => {
    let rendering = renderings.get(snapshot);
    if (rendering === undefined) {
      const flags = snapshot.features.map(
        (feature, index) =>
          new FlagFragments(feature, index, { dialect, fragments: fragmentsOf(feature) }),
      );
      rendering = prepare(snapshot, dialect, flags);
      renderings.set(snapshot, rendering);
    }
    return rendering;
  };
}

function prepare(snapshot: Snapshot, dialect: Dialect, flags: readonly FlagFragments[]): Rendering {
  return {
    snapshot,
    dialect,
    flags,
    enabledStretches: cutIntoStretches(flags, ({ enabled }) => enabled),
    allStretches: cutIntoStretches(flags, () => true),
  };
}
