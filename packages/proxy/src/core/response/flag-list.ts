import type { CompiledFlag, Evaluation, Outcome } from "flags-engine";
import { DIGEST_WORDS, toEntityTag } from "flags-sdk/neutral";
import { type Fragment, type Frame, joinFragments, SEPARATOR } from "./fragment.ts";
import { ResponseBody } from "../http/response-body.ts";

export type OutcomeVector = Evaluation["outcomes"];

export type FragmentOf = (flag: CompiledFlag, outcomeIndex: number) => Fragment;

export type IsListed = (outcome: Outcome) => boolean;

/** Maximum number of combinations in a part. More would take more memory and save little time. */
const MAX_COMBINATIONS = 16;

/** Adjacent flags that have few combinations of outcomes. */
interface Part {
  /** Position in the snapshot of the first flag, and the position after that of the last flag. */
  readonly start: number;
  readonly end: number;
}

/** Arrays of numbers, because they are read for each request. The combinations of all parts are numbered consecutively. */
interface Layout {
  /** Positions in the snapshot of the flags that depend on the context. */
  readonly positions: Int32Array;
  /** By such a flag: factor of its outcome index. The sum of the products over a part gives its combination. */
  readonly factors: Int32Array;
  /** By part: how many such flags it and the previous parts have. */
  readonly variableEnds: Int32Array;
  /** By part: the number of its first combination. */
  readonly firstCombinations: Int32Array;
}

/**
 * The flags of a snapshot as a list that omits some outcomes, such as those that are off. This is a
 * hot path: adjacent flags share one fragment for each combination of their outcomes.
 */
export class FlagList {
  readonly #flags: readonly CompiledFlag[];
  readonly #isListed: IsListed;
  readonly #fragmentOf: FragmentOf;
  readonly #frame: Frame;
  readonly #parts: readonly Part[];
  readonly #layout: Layout;
  /** By number of the combination. Each is prepared when it is first needed. */
  readonly #fragments: (Fragment | undefined)[];
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
    const { parts, layout, combinationCount } = divide(flags);
    this.#parts = parts;
    this.#layout = layout;
    this.#fragments = Array.from({ length: combinationCount }, () => undefined);
    this.#digests = new Int32Array((1 + flags.length) * DIGEST_WORDS);
    this.#digests.set(frame.digest);
  }

  select(outcomes: OutcomeVector): ResponseBody {
    const digests = this.#digests;
    const { prefix, suffix } = this.#frame;
    let text = prefix;
    let isEmpty = true;
    let words = DIGEST_WORDS;
    const fragments = this.#fragments;
    const { positions, factors, variableEnds, firstCombinations } = this.#layout;
    let at = 0;
    for (let part = 0; part < variableEnds.length; part++) {
      const end = variableEnds[part] ?? 0;
      let combination = firstCombinations[part] ?? 0;
      for (; at < end; at++) {
        combination += (outcomes[positions[at] ?? 0] ?? 0) * (factors[at] ?? 0);
      }
      const fragment = (fragments[combination] ??= this.#prepare(part, outcomes));
      const { bytes, digests: own } = fragment;
      if (bytes.length === 0) continue;
      text += isEmpty ? bytes.slice(SEPARATOR.length) : bytes;
      isEmpty = false;
      for (let word = 0; word < own.length; word++) digests[words++] = own[word] ?? 0;
    }
    const entityTag = toEntityTag(digests.subarray(0, words));
    return new ResponseBody(text + suffix, entityTag);
  }

  #prepare(part: number, outcomes: OutcomeVector): Fragment {
    const { start = 0, end = 0 } = this.#parts[part] ?? {};
    const fragments: Fragment[] = [];
    for (let index = start; index < end; index++) {
      const flag = this.#flags[index];
      if (flag === undefined) continue;
      const outcomeIndex = flag.constantOutcome ?? outcomes[index] ?? 0;
      const outcome = flag.outcomes[outcomeIndex];
      if (outcome === undefined || !this.#isListed(outcome)) continue;
      fragments.push(this.#fragmentOf(flag, outcomeIndex));
    }
    return joinFragments(fragments);
  }
}

function divide(flags: readonly CompiledFlag[]) {
  const parts: Part[] = [];
  const positions: number[] = [];
  const factors: number[] = [];
  const variableEnds: number[] = [];
  const firstCombinations: number[] = [];
  let start = 0;
  let combinationCount = 0;
  let combinations = 1;
  const endPart = (end: number): void => {
    parts.push({ start, end });
    variableEnds.push(positions.length);
    firstCombinations.push(combinationCount);
    start = end;
    combinationCount += combinations;
    combinations = 1;
  };
  for (const [index, { constantOutcome, outcomes }] of flags.entries()) {
    if (constantOutcome !== undefined) continue;
    if (combinations > 1 && combinations * outcomes.length > MAX_COMBINATIONS) endPart(index);
    positions.push(index);
    factors.push(combinations);
    combinations *= outcomes.length;
  }
  endPart(flags.length);
  const layout: Layout = {
    positions: Int32Array.from(positions),
    factors: Int32Array.from(factors),
    variableEnds: Int32Array.from(variableEnds),
    firstCombinations: Int32Array.from(firstCombinations),
  };
  return { parts, layout, combinationCount };
}
