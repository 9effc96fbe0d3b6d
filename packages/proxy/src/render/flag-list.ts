import type { CompiledFeature, Evaluation, Outcome } from "flags-engine";
import { FlagListBody, type Frame, toEntityTag } from "./flag-list-body.ts";
import { DIGEST_WORDS, type Fragment, joinFragments, SEPARATOR } from "./fragment.ts";

/** One outcome index for each flag of a snapshot. */
export type OutcomeVector = Evaluation["outcomes"];

/** The fragment of a flag with one of its outcomes. */
export type FragmentOf = (feature: CompiledFeature, outcomeIndex: number) => Fragment;

/** Whether a list includes a flag with this outcome. */
export type IsListed = (outcome: Outcome) => boolean;

/** Most combinations of outcomes of a part. More take more memory, and no less time. */
const MAX_COMBINATIONS = 4;

/** Adjacent flags, of which at most two depend on the context. */
interface Part {
  /** Positions in the snapshot of the first flag of the part, and of the one behind its last flag. */
  readonly start: number;
  readonly end: number;
  /**
   * Positions of the flags that depend on the context. The combination is the sum of their outcomes,
   * each multiplied with its step; the step of a flag that does not exist is 0.
   */
  readonly first: number;
  readonly firstStep: number;
  readonly second: number;
  readonly secondStep: number;
  /** By combination of outcomes, each prepared when it is needed first. */
  readonly fragments: (Fragment | undefined)[];
}

/**
 * All flags of a snapshot as a list that omits some outcomes, such as those that are off. This is a
 * hot path: whatever adjacent flags have in common for many contexts is prepared once.
 */
export class FlagList {
  readonly #features: readonly CompiledFeature[];
  readonly #isListed: IsListed;
  readonly #fragmentOf: FragmentOf;
  readonly #frame: Frame;
  readonly #parts: readonly Part[];
  /** Where the digests of a selection are collected; overwritten by each call of select(). */
  readonly #digests: Int32Array;

  constructor(
    features: readonly CompiledFeature[],
    isListed: IsListed,
    fragmentOf: FragmentOf,
    frame: Frame,
  ) {
    this.#features = features;
    this.#isListed = isListed;
    this.#fragmentOf = fragmentOf;
    this.#frame = frame;
    this.#parts = toParts(features);
    this.#digests = new Int32Array((1 + features.length) * DIGEST_WORDS);
    this.#digests.set(frame.digest);
  }

  /** Selects the fragments for these outcomes. */
  select(outcomes: OutcomeVector): FlagListBody {
    const digests = this.#digests;
    const { prefix, suffix } = this.#frame;
    let text = prefix;
    let count = 0;
    let words = DIGEST_WORDS;
    for (const part of this.#parts) {
      const combination =
        (outcomes[part.first] ?? 0) * part.firstStep +
        (outcomes[part.second] ?? 0) * part.secondStep;
      const fragment =
        part.fragments[combination] ??
        (part.fragments[combination] = this.#prepare(part, outcomes));
      const { bytes, digests: own } = fragment;
      if (bytes.length === 0) continue;
      text += count === 0 ? bytes.slice(SEPARATOR.length) : bytes;
      count += 1;
      for (let word = 0; word < own.length; word++) digests[words++] = own[word] ?? 0;
    }
    const entityTag = toEntityTag(digests.subarray(0, words));
    return new FlagListBody(text + suffix, count, entityTag);
  }

  #prepare({ start, end }: Part, outcomes: OutcomeVector): Fragment {
    const fragments: Fragment[] = [];
    for (let index = start; index < end; index++) {
      const feature = this.#features[index];
      if (feature === undefined) continue;
      const outcomeIndex = feature.constantOutcome ?? outcomes[index] ?? 0;
      const outcome = feature.outcomes[outcomeIndex];
      if (outcome === undefined || !this.#isListed(outcome)) continue;
      fragments.push(this.#fragmentOf(feature, outcomeIndex));
    }
    return joinFragments(fragments);
  }
}

function toParts(features: readonly CompiledFeature[]): readonly Part[] {
  const parts: Part[] = [];
  let start = 0;
  /** The flags of the current part that depend on the context. */
  let variable: number[] = [];
  const stepOf = (index: number | undefined): number => features[index ?? -1]?.outcomes.length ?? 1;
  const endPart = (end: number): void => {
    const [first, second] = variable;
    parts.push({
      start,
      end,
      first: first ?? 0,
      firstStep: first === undefined ? 0 : 1,
      second: second ?? 0,
      secondStep: second === undefined ? 0 : stepOf(first),
      fragments: [],
    });
    start = end;
    variable = [];
  };
  for (const [index, { constantOutcome }] of features.entries()) {
    if (constantOutcome !== undefined) continue;
    const isFull = variable.length === 2 || stepOf(variable[0]) * stepOf(index) > MAX_COMBINATIONS;
    if (isFull && variable.length > 0) endPart(index);
    variable.push(index);
  }
  endPart(features.length);
  return parts;
}
