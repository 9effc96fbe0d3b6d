import type { CompiledFeature, Evaluation, Outcome } from "flags-engine";
import { FlagListBody, type Frame, toEntityTag } from "./flag-list-body.ts";
import { DIGEST_WORDS, type Fragment, joinFragments } from "./fragment.ts";

/** One outcome index for each flag of a snapshot. */
export type OutcomeVector = Evaluation["outcomes"];

/** The fragment of a flag with one of its outcomes. */
export type FragmentOf = (feature: CompiledFeature, outcomeIndex: number) => Fragment;

/** Marks a part that does not depend on the context. */
const CONSTANT = -1;

/** One flag that depends on the context, or a run of adjacent flags that do not. */
interface Part {
  /** Position of the flag in the snapshot, or CONSTANT. */
  readonly flagIndex: number;
  /** By outcome; undefined where the list omits the flag. A constant part has one entry. */
  readonly fragments: readonly (Fragment | undefined)[];
}

/**
 * All flags of a snapshot as a list in which some outcomes are omitted, such as those that are off.
 * This is a hot path: everything that does not depend on the context is prepared once.
 */
export class FlagList {
  readonly #frame: Frame;
  readonly #parts: readonly Part[];
  /** Where the digests of a selection are collected; overwritten by each call of select(). */
  readonly #digests: Int32Array;

  constructor(
    features: readonly CompiledFeature[],
    isListed: (outcome: Outcome) => boolean,
    fragmentOf: FragmentOf,
    frame: Frame,
  ) {
    this.#frame = frame;
    this.#parts = toParts(features, isListed, fragmentOf);
    this.#digests = new Int32Array((1 + features.length) * DIGEST_WORDS);
    this.#digests.set(frame.digest);
  }

  /** Selects the fragments for these outcomes. */
  select(outcomes: OutcomeVector): FlagListBody {
    const digests = this.#digests;
    const selected: Fragment[] = [];
    let byteLength = 0;
    let words = DIGEST_WORDS;
    for (const { flagIndex, fragments } of this.#parts) {
      const fragment = fragments[flagIndex === CONSTANT ? 0 : (outcomes[flagIndex] ?? 0)];
      if (fragment === undefined) continue;
      selected.push(fragment);
      byteLength += fragment.bytes.length;
      const { digests: own } = fragment;
      for (let word = 0; word < own.length; word++) digests[words++] = own[word] ?? 0;
    }
    const entityTag = toEntityTag(digests.subarray(0, words));
    return new FlagListBody(this.#frame, selected, byteLength, entityTag);
  }
}

/** Whether a list that omits some outcomes needs a flag with this outcome. */
export function isNeeded(
  { outcomes, constantOutcome }: CompiledFeature,
  outcomeIndex: number,
  isListed: (outcome: Outcome) => boolean,
): boolean {
  const outcome = outcomes[outcomeIndex];
  const isPossible = constantOutcome === undefined || constantOutcome === outcomeIndex;
  return isPossible && outcome !== undefined && isListed(outcome);
}

function toParts(
  features: readonly CompiledFeature[],
  isListed: (outcome: Outcome) => boolean,
  fragmentOf: FragmentOf,
): readonly Part[] {
  const parts: Part[] = [];
  let run: Fragment[] = [];
  const endRun = (): void => {
    if (run.length > 0) parts.push({ flagIndex: CONSTANT, fragments: [joinFragments(run)] });
    run = [];
  };
  for (const [flagIndex, feature] of features.entries()) {
    const { constantOutcome, outcomes } = feature;
    const fragments = outcomes.map((_, index) =>
      isNeeded(feature, index, isListed) ? fragmentOf(feature, index) : undefined,
    );
    if (constantOutcome === undefined) {
      endRun();
      parts.push({ flagIndex, fragments });
    } else {
      const fragment = fragments[constantOutcome];
      if (fragment !== undefined) run.push(fragment);
    }
  }
  endRun();
  return parts;
}
