import type { CompiledFlag, Evaluation, Outcome } from "flags-engine";
import { DIGEST_WORDS, toEntityTag } from "flags-sdk/neutral";
import { type Fragment, type Frame, joinFragments, SEPARATOR } from "./fragment.ts";
import { ResponseBody } from "../http/response-body.ts";

export type OutcomeVector = Evaluation["outcomes"];

export type FragmentOf = (flag: CompiledFlag, outcomeIndex: number) => Fragment;

export type IsListed = (outcome: Outcome) => boolean;

/**
 * The flags of a snapshot as a list that omits some outcomes, such as those that are off. This is a hot path: a flag that
 * depends on the context shares a fragment with the constant flags before it.
 */
export class FlagList {
  readonly #flags: readonly CompiledFlag[];
  readonly #isListed: IsListed;
  readonly #fragmentOf: FragmentOf;
  readonly #frame: Frame;
  /** Positions of the flags that depend on the context, and the number of flags, for the constant ones at the end. */
  readonly #positions: Int32Array;
  /** By index of the position and outcome. Each is prepared when it is first needed. */
  readonly #fragments: (Fragment | undefined)[][];
  /** Where the digests of a selection are collected; overwritten by each call of select(). */
  readonly #digests: Int32Array;

  constructor(
    flags: readonly CompiledFlag[],
    isListed: IsListed,
    fragmentOf: FragmentOf,
    frame: Frame,
  ) {
    this.#flags = flags;
    this.#isListed = isListed;
    this.#fragmentOf = fragmentOf;
    this.#frame = frame;
    const variable = flags.flatMap(({ constantOutcome }, position) =>
      constantOutcome === undefined ? [position] : [],
    );
    this.#positions = Int32Array.from([...variable, flags.length]);
    this.#fragments = Array.from(this.#positions, () => []);
    this.#digests = new Int32Array((1 + flags.length) * DIGEST_WORDS);
    this.#digests.set(frame.digest);
  }

  select(outcomes: OutcomeVector): ResponseBody {
    const digests = this.#digests;
    const positions = this.#positions;
    const { prefix, suffix } = this.#frame;
    let text = prefix;
    let isEmpty = true;
    let words = DIGEST_WORDS;
    for (let at = 0; at < positions.length; at++) {
      const outcomeIndex = outcomes[positions[at] ?? 0] ?? 0;
      const fragments = this.#fragments[at] ?? [];
      const fragment = (fragments[outcomeIndex] ??= this.#prepare(at, outcomeIndex));
      const { bytes, digests: own } = fragment;
      if (bytes.length === 0) continue;
      text += isEmpty ? bytes.slice(SEPARATOR.length) : bytes;
      isEmpty = false;
      for (let word = 0; word < own.length; word++) digests[words++] = own[word] ?? 0;
    }
    const entityTag = toEntityTag(digests.subarray(0, words));
    return new ResponseBody(text + suffix, entityTag);
  }

  #prepare(at: number, outcomeIndex: number): Fragment {
    const start = 1 + (this.#positions[at - 1] ?? -1);
    const end = 1 + (this.#positions[at] ?? 0);
    const fragments = this.#flags.slice(start, end).flatMap((flag) => {
      const index = flag.constantOutcome ?? outcomeIndex;
      const outcome = flag.outcomes[index];
      return outcome !== undefined && this.#isListed(outcome)
        ? [this.#fragmentOf(flag, index)]
        : [];
    });
    return joinFragments(fragments);
  }
}
