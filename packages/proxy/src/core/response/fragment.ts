import { digestOf, digestOfFrame, type ListFrame } from "flags-sdk/neutral";
import { toBinaryString } from "../http/response-body.ts";

/** Precedes each flag of a list; a body omits the first one. */
export const SEPARATOR = ",";

export interface Fragment {
  /**
   * JSON of the flags in UTF-8, each preceded by a separator, as a string with one character for each
   * byte: concatenating strings costs less than copying buffers.
   */
  readonly bytes: string;
  /** For each flag, the first 64 bits of the SHA-256 of its JSON. */
  readonly digests: readonly number[];
}

export interface Frame extends ListFrame {
  readonly digest: readonly number[];
}

export function createFrame({ prefix, suffix }: ListFrame): Frame {
  return { prefix, suffix, digest: digestOfFrame({ prefix, suffix }) };
}

export function createFragment(json: string): Fragment {
  return { bytes: toBinaryString(SEPARATOR + json), digests: digestOf(json) };
}

/** Joins the fragments of adjacent flags. The entity tags of bodies that contain them stay the same. */
export function joinFragments(fragments: readonly Fragment[]): Fragment {
  return {
    bytes: fragments.map(({ bytes }) => bytes).join(""),
    digests: fragments.flatMap(({ digests }) => digests),
  };
}
