import type { CompiledFlag, Outcome, Snapshot, Steps } from "flags-engine";
import type { BeforeChangeHook } from "flags-sdk";
import type { FlagSource } from "../../upstream/flag-source.ts";
import type { VisibleFlags } from "../access/visible-flags.ts";
import type { HttpError } from "../http/errors.ts";
import { FlagList, type FragmentOf, type IsListed } from "./flag-list.ts";
import { createFragment, createFrame, type Fragment, type Frame } from "./fragment.ts";

/** How a protocol serializes flags that have been evaluated. */
export interface FlagFormat {
  /** The text before the first flag of a list and after the last one. */
  readonly prefix: string;
  readonly suffix: string;
  writeFlag(flag: CompiledFlag, outcome: Outcome): string;
  /** Returns a flag that was requested by name but does not exist, as JSON. In ASCII, apart from the name. */
  writeUnknownFlag(name: string): string;
  /** Returns the error to send instead of a single flag, if the protocol cannot represent its value. */
  toFlagError?(flag: CompiledFlag, outcome: Outcome): HttpError | undefined;
}

const isEnabled = ({ enabled }: Outcome): boolean => enabled;
const isAny = (): boolean => true;

interface Layout {
  readonly format: FlagFormat;
  readonly frame: Frame;
  readonly fragmentOf: FragmentOf;
}

/** A snapshot in one protocol: prepared fragments, and the lists that requests select from. */
export class Rendering {
  readonly snapshot: Snapshot;
  readonly layout: Layout;
  /** Where outcomes are written; overwritten by each evaluation. */
  readonly vector: Int32Array;
  #enabled: FlagList | undefined;
  #all: FlagList | undefined;

  constructor(snapshot: Snapshot, layout: Layout) {
    this.snapshot = snapshot;
    this.layout = layout;
    this.vector = new Int32Array(snapshot.flags.length);
  }

  get enabled(): FlagList {
    this.#enabled ??= this.#list(isEnabled);
    return this.#enabled;
  }

  get all(): FlagList {
    this.#all ??= this.#list(isAny);
    return this.#all;
  }

  /** Prepares, in steps, the fragments of the lists that the previous rendering was used for. */
  *prepareLike(previous: Rendering): Steps<void> {
    const lists = [
      ...(previous.#enabled === undefined ? [] : [isEnabled]),
      ...(previous.#all === undefined ? [] : [isAny]),
    ];
    for (const isListed of lists) {
      for (const flag of this.snapshot.flags) {
        for (const index of flag.outcomes.keys()) {
          if (isNeeded(flag, index, isListed)) this.layout.fragmentOf(flag, index);
        }
        yield;
      }
      // Creates the list, which the first request would otherwise do.
      void (isListed === isAny ? this.all : this.enabled);
      yield;
    }
  }

  #list(isListed: IsListed): FlagList {
    const { fragmentOf, frame } = this.layout;
    return new FlagList(this.snapshot.flags, isListed, fragmentOf, frame);
  }
}

function isNeeded(
  { outcomes, constantOutcome }: CompiledFlag,
  outcomeIndex: number,
  isListed: IsListed,
): boolean {
  const outcome = outcomes[outcomeIndex];
  const isPossible = constantOutcome === undefined || constantOutcome === outcomeIndex;
  return isPossible && outcome !== undefined && isListed(outcome);
}

/** Renders snapshots in one protocol, each once. */
export interface Renderer {
  readonly render: (snapshot: Snapshot) => Rendering;
  /** Prepares a snapshot, in steps, for the same kinds of requests as the previous one. */
  readonly renderAhead: (snapshot: Snapshot, previous: Snapshot | undefined) => Steps<void>;
}

/** Creates a renderer that prepares only those flags again that a change affects. */
export function createRenderer(format: FlagFormat): Renderer {
  const layout = { format, frame: createFrame(format), fragmentOf: createFragmentOf(format) };
  const renderings = new WeakMap<Snapshot, Rendering>();
  const render = (snapshot: Snapshot): Rendering => {
    const known = renderings.get(snapshot);
    if (known !== undefined) return known;
    const rendering = new Rendering(snapshot, layout);
    renderings.set(snapshot, rendering);
    return rendering;
  };
  return {
    render,
    *renderAhead(snapshot, previous) {
      const known = previous && renderings.get(previous);
      if (known !== undefined) yield* render(snapshot).prepareLike(known);
    },
  };
}

function createFragmentOf(format: FlagFormat): FragmentOf {
  // NOTE: a flag that a change does not affect is the same object in the next snapshot.
  const known = new WeakMap<CompiledFlag, (Fragment | undefined)[]>();
  return (flag, outcomeIndex) => {
    let fragments = known.get(flag);
    if (fragments === undefined) {
      fragments = [];
      known.set(flag, fragments);
    }
    const outcome = flag.outcomes[outcomeIndex];
    if (outcome === undefined) {
      throw new RangeError(`Cannot render outcome ${outcomeIndex} of ${flag.name}`);
    }
    fragments[outcomeIndex] ??= createFragment(format.writeFlag(flag, outcome));
    return fragments[outcomeIndex];
  };
}

/**
 * Prepares each new snapshot before it is published: the first request after a change would serialize all new flags, and
 * delay the others. Returns a function that stops this.
 */
export function renderNewSnapshots(
  sources: readonly FlagSource[],
  renderers: readonly Renderer[],
  visibleOf: (source: FlagSource) => Iterable<VisibleFlags> = () => [],
): () => void {
  const createHook = (source: FlagSource): BeforeChangeHook =>
    function* (snapshot, previous) {
      for (const renderer of renderers) yield* renderer.renderAhead(snapshot, previous);
      for (const visible of visibleOf(source)) {
        const known = previous && visible.known(previous);
        if (known === undefined) continue;
        const next = visible.restrict(snapshot);
        yield;
        for (const renderer of renderers) yield* renderer.renderAhead(next, known);
      }
    };
  const stops = sources.map((source) => source.beforeChange?.(createHook(source)));
  return () => stops.forEach((stop) => stop?.());
}
