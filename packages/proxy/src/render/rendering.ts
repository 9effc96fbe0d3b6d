import type { CompiledFeature, Snapshot, Steps } from "flags-engine";
import type { Dialect } from "./dialect.ts";
import { FlagFragments } from "./flag-fragments.ts";
import type { Fragment } from "./fragment.ts";
import { Frame } from "./frame.ts";
import { StretchTable } from "./stretch-table.ts";

/** Every answer that a snapshot can give, written in one dialect. */
export class Rendering {
  readonly snapshot: Snapshot;
  readonly dialect: Dialect;
  readonly frame: Frame;
  /** By position of the flag in the snapshot. */
  readonly flags: readonly FlagFragments[];
  #enabled: StretchTable | undefined;
  #all: StretchTable | undefined;

  constructor(snapshot: Snapshot, flags: readonly FlagFragments[], { dialect, frame }: Style) {
    this.snapshot = snapshot;
    this.flags = flags;
    this.dialect = dialect;
    this.frame = frame;
  }

  /** What an answer of the flags that are on is made of. */
  get enabled(): StretchTable {
    this.#enabled ??= new StretchTable(this.flags, (outcome) => outcome.enabled);
    return this.#enabled;
  }

  /** What an answer of all flags is made of. */
  get all(): StretchTable {
    this.#all ??= new StretchTable(this.flags, () => true);
    return this.#all;
  }

  /** Makes what the rendering of the snapshot before was asked for, in steps. */
  *prepareLike(former: Rendering): Steps<void> {
    if (former.#enabled !== undefined) void this.enabled;
    yield;
    if (former.#all !== undefined) void this.all;
    yield;
  }
}

/** What all renderings of a dialect share. */
interface Style {
  readonly dialect: Dialect;
  readonly frame: Frame;
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
  const style = { dialect, frame: new Frame(dialect) };
  // NOTE: a flag that a change leaves as it was is the same object in the snapshot after it.
  const fragments = new WeakMap<CompiledFeature, (Fragment | undefined)[]>();
  const toFlag = (feature: CompiledFeature, index: number): FlagFragments => {
    const known = fragments.get(feature) ?? [];
    fragments.set(feature, known);
    return new FlagFragments(feature, index, { dialect, fragments: known });
  };
  const keep = (rendering: Rendering): Rendering => {
    renderings.set(rendering.snapshot, rendering);
    return rendering;
  };
  return {
    render: (snapshot) =>
      renderings.get(snapshot) ??
      keep(new Rendering(snapshot, snapshot.features.map(toFlag), style)),
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
      const rendering = new Rendering(snapshot, flags, style);
      yield* rendering.prepareLike(known);
      keep(rendering);
    },
  };
}
