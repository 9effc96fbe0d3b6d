import { hash } from "node:crypto";

/** 128 bits in hexadecimal. */
const TAG_LENGTH = 32;

export function toEntityTag(content: Int32Array | string): string {
  return `W/"${hash("sha256", content, "hex").slice(0, TAG_LENGTH)}"`;
}

/**
 * Length of the digest of one flag: 64 bits. Clients do not choose the JSON of flags, so only chance could give two
 * outcomes the same digest.
 */
export const DIGEST_WORDS = 2;

/** The first 64 bits of the SHA-256 of a string. */
export function digestOf(text: string): readonly number[] {
  const digest = hash("sha256", text, "buffer");
  return Array.from({ length: DIGEST_WORDS }, (_, word) => digest.readInt32LE(word * 4));
}

/** The text before the first flag of a list and after the last one. In ASCII. */
export interface ListFrame {
  readonly prefix: string;
  readonly suffix: string;
}

export function digestOfFrame({ prefix, suffix }: ListFrame): readonly number[] {
  return digestOf(JSON.stringify([prefix, suffix]));
}
