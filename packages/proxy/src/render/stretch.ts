import type { Outcome } from "flags-engine";
import { joinFragments, type Fragment } from "./fragment.ts";
import type { FlagFragments } from "./flag-fragments.ts";

/** One outcome index for each flag of a snapshot. */
export type OutcomeVector = readonly number[];

/** Which answers of flags belong into an answer to a client. */
export type IsShown = (outcome: Outcome) => boolean;

/**
 * In how many ways a stretch may come out. With more, an answer has fewer pieces, and there are
 * more pieces to keep in memory.
 */
const MAX_COMBINATIONS = 32;

/**
 * A few flags in a row, which come out in one of a few ways. The piece for each is put together
 * when it is needed first, and then serves every answer that it is part of. This is a hot path.
 */
export class Stretch {
  readonly #flags: readonly FlagFragments[];
  readonly #isShown: IsShown;
  /** The flags that depend on the context, and how many outcomes each has. */
  readonly #variable: readonly { readonly index: number; readonly radix: number }[];
  readonly #pieces: (Fragment | undefined)[] = [];

  constructor(flags: readonly FlagFragments[], isShown: IsShown) {
    this.#flags = flags;
    this.#isShown = isShown;
    this.#variable = flags
      .filter(({ feature }) => feature.constantOutcome === undefined)
      .map(({ index, feature }) => ({ index, radix: feature.outcomes.length }));
  }

  /** The piece for these outcomes. */
  piece(outcomes: OutcomeVector): Fragment {
    let combination = 0;
    for (const { index, radix } of this.#variable) {
      combination = combination * radix + (outcomes[index] ?? 0);
    }
    const known = this.#pieces[combination];
    if (known !== undefined) return known;
    const piece = this.#put(outcomes);
    this.#pieces[combination] = piece;
    return piece;
  }

  #put(outcomes: OutcomeVector): Fragment {
    const shown: Fragment[] = [];
    for (const flag of this.#flags) {
      const { constantOutcome, outcomes: ways } = flag.feature;
      const position = constantOutcome ?? outcomes[flag.index] ?? 0;
      const outcome = ways[position];
      if (outcome !== undefined && this.#isShown(outcome)) shown.push(flag.fragment(position));
    }
    return joinFragments(shown);
  }
}

/** Cuts the flags of a snapshot into stretches. */
export function cutIntoStretches(
  flags: readonly FlagFragments[],
  isShown: IsShown,
): readonly Stretch[] {
  const stretches: Stretch[] = [];
  let stretch: FlagFragments[] = [];
  let combinations = 1;
  for (const flag of flags) {
    const { constantOutcome, outcomes } = flag.feature;
    const ways = constantOutcome === undefined ? outcomes.length : 1;
    if (combinations * ways > MAX_COMBINATIONS && stretch.length > 0) {
      stretches.push(new Stretch(stretch, isShown));
      stretch = [];
      combinations = 1;
    }
    stretch.push(flag);
    combinations *= ways;
  }
  return [...stretches, new Stretch(stretch, isShown)];
}
