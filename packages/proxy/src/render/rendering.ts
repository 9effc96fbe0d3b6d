import type { CompiledFeature, Snapshot, Steps } from "flags-engine";
import type { Dialect } from "./dialect.ts";
import { FlagFragments } from "./flag-fragments.ts";
import type { Fragment } from "./fragment.ts";
import { Frame } from "./frame.ts";
import { StretchTable } from "./stretch-table.ts";

/** Every answer that a snapshot can give, written in one dialect. */
export interface Rendering {
  readonly snapshot: Snapshot;
  readonly dialect: Dialect;
  readonly frame: Frame;
  /** By position of the flag in the snapshot. */
  readonly flags: readonly FlagFragments[];
  /** What an answer of the flags that are on is made of. */
  readonly enabled: StretchTable;
  /** What an answer of all flags is made of. */
  readonly all: StretchTable;
}

/** Writes snapshots in one dialect, each once, and forgets what it wrote with the snapshot. */
export interface Renderer {
  /** Prepares a snapshot in one go, unless that was done before. */
  readonly render: (snapshot: Snapshot) => Rendering;
  /**
   * Prepares a snapshot in steps, with what was needed of the one before it: nothing, if nobody
   * speaks this dialect.
   */
  readonly renderAhead: (snapshot: Snapshot, former: Snapshot | undefined) => Steps<void>;
}

/** Makes a renderer that writes again only the flags that a change makes different. */
export function createRenderer(dialect: Dialect): Renderer {
  const renderings = new WeakMap<Snapshot, Rendering>();
  const frame = new Frame(dialect);
  // NOTE: a flag that a change leaves as it was is the same object in the snapshot after it.
  const fragments = new WeakMap<CompiledFeature, (Fragment | undefined)[]>();
  const toFlag = (feature: CompiledFeature, index: number): FlagFragments => {
    const known = fragments.get(feature) ?? [];
    fragments.set(feature, known);
    return new FlagFragments(feature, index, { dialect, fragments: known });
  };
  const keep = (snapshot: Snapshot, flags: readonly FlagFragments[]): Rendering => {
    const enabled = new StretchTable(flags, (outcome) => outcome.enabled);
    const all = new StretchTable(flags, () => true);
    const rendering = { snapshot, dialect, frame, flags, enabled, all };
    renderings.set(snapshot, rendering);
    return rendering;
  };
  return {
    render: (snapshot) => renderings.get(snapshot) ?? keep(snapshot, snapshot.features.map(toFlag)),
    *renderAhead(snapshot, former) {
      const known = former && renderings.get(former);
      if (known === undefined) return;
      const flags: FlagFragments[] = [];
      for (const [index, feature] of snapshot.features.entries()) {
        const flag = toFlag(feature, index);
        flag.writeLike(known.flags[known.snapshot.indexOf(feature.name)]);
        flags.push(flag);
        yield;
      }
      keep(snapshot, flags);
    },
  };
}
