import { createHash } from "node:crypto";

/** A piece of an answer, prepared once, with a hash of its text in two halves. */
export interface Fragment {
  readonly text: string;
  readonly high: number;
  readonly low: number;
}

/** Prepares a piece of an answer. Its hash depends on the text alone. */
export function createFragment(text: string): Fragment {
  const digest = createHash("sha256").update(text).digest();
  return { text, high: digest.readInt32BE(0), low: digest.readInt32BE(4) };
}
