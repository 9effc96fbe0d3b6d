import type { CompiledFeature } from "flags-engine";
import type { Dialect } from "./dialect.ts";
import { createFragment, type Fragment } from "./fragment.ts";

/** How the pieces of a flag are written, and those that are already. */
interface Writing {
  readonly dialect: Dialect;
  readonly fragments: (Fragment | undefined)[];
}

/** A flag of a snapshot and its pieces, each of which is written when it is needed first. */
export class FlagFragments {
  readonly feature: CompiledFeature;
  /** Its position in the snapshot. */
  readonly index: number;
  readonly #dialect: Dialect;
  readonly #fragments: (Fragment | undefined)[];

  constructor(feature: CompiledFeature, index: number, { dialect, fragments }: Writing) {
    this.feature = feature;
    this.index = index;
    this.#dialect = dialect;
    this.#fragments = fragments;
  }

  /** Writes the pieces that were needed of the same flag before a change; of a new flag, all. */
  writeLike(former: FlagFragments | undefined): void {
    for (const outcomeIndex of this.feature.outcomes.keys()) {
      const wasAskedFor = former === undefined || former.#fragments[outcomeIndex] !== undefined;
      if (wasAskedFor) this.fragment(outcomeIndex);
    }
  }

  /** The piece for an outcome. */
  fragment(outcomeIndex: number): Fragment {
    const known = this.#fragments[outcomeIndex];
    if (known !== undefined) return known;
    const outcome = this.feature.outcomes[outcomeIndex];
    if (outcome === undefined) {
      throw new RangeError(`Cannot render outcome ${outcomeIndex} of ${this.feature.name}`);
    }
    const fragment = createFragment(this.#dialect.writeFlag(this.feature, outcome));
    this.#fragments[outcomeIndex] = fragment;
    return fragment;
  }
}
