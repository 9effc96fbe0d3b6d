import { digestOf, digestOfFrame, type ListFrame } from "flags-sdk/neutral";
import { toBinaryString } from "../http/response-body.ts";

/** Precedes each flag of a list; a body omits the first one. */
export const SEPARATOR = ",";

/** Prepared bytes for one outcome of one flag, or for several adjacent flags. */
export class Fragment {
  /**
   * JSON of the flags in UTF-8, each preceded by a separator, as a string with one character for each
   * byte: concatenating strings costs less than copying buffers.
   */
  readonly bytes: string;
  /** For each flag, the first 64 bits of the SHA-256 of its JSON. */
  readonly digests: readonly number[];

  constructor(bytes: string, digests: readonly number[]) {
    this.bytes = bytes;
    this.digests = digests;
  }
}

/** The bytes around a list of flags. */
export class Frame {
  /** In ASCII, as the suffix is. */
  readonly prefix: string;
  readonly suffix: string;
  readonly digest: readonly number[];

  constructor(frame: ListFrame) {
    this.prefix = frame.prefix;
    this.suffix = frame.suffix;
    this.digest = digestOfFrame(frame);
  }
}

export function createFragment(json: string): Fragment {
  return new Fragment(toBinaryString(SEPARATOR + json), digestOf(json));
}

/** Joins the fragments of adjacent flags. The entity tags of bodies that contain them stay the same. */
export function joinFragments(fragments: readonly Fragment[]): Fragment {
  const [only] = fragments;
  if (only !== undefined && fragments.length === 1) return only;
  const digests = fragments.flatMap((fragment) => [...fragment.digests]);
  return new Fragment(fragments.map(({ bytes }) => bytes).join(""), digests);
}
