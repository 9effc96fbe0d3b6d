import { hash } from "node:crypto";
import { DIGEST_WORDS, digestOf, type Fragment, SEPARATOR } from "./fragment.ts";

/** The bytes around a list of flags. */
export class Frame {
  /** In ASCII, as the suffix is. */
  readonly prefix: string;
  readonly suffix: string;
  readonly digest: Int32Array;

  constructor({ prefix, suffix }: { readonly prefix: string; readonly suffix: string }) {
    this.prefix = prefix;
    this.suffix = suffix;
    this.digest = digestOf(JSON.stringify([prefix, suffix]));
  }
}

/** A response body, with an entity tag that is known before the body is built. */
export interface ResponseBody {
  /** A weak entity tag: a cryptographic hash of everything that determines the bytes. */
  readonly entityTag: string;
  readonly byteLength: number;
  /** Builds the body as a string with one character for each byte, to be sent as `latin1`. */
  toBinaryString(): string;
  /** Builds the body as bytes. */
  toBuffer(): Buffer;
}

/** A list of flags as a response body. */
export class FlagListBody implements ResponseBody {
  readonly entityTag: string;
  readonly byteLength: number;
  readonly #frame: Frame;
  readonly #fragments: readonly Fragment[];

  /** @param fragmentBytes total length of the fragments */
  constructor(
    frame: Frame,
    fragments: readonly Fragment[],
    fragmentBytes: number,
    entityTag: string,
  ) {
    this.#frame = frame;
    this.#fragments = fragments;
    this.entityTag = entityTag;
    // The separator of the first flag is dropped.
    const flagBytes = Math.max(0, fragmentBytes - SEPARATOR.length);
    this.byteLength = frame.prefix.length + flagBytes + frame.suffix.length;
  }

  /** Memory for the references to its fragments, which belong to the rendering. */
  get referenceBytes(): number {
    return this.#fragments.length * 8;
  }

  toBinaryString(): string {
    const { prefix, suffix } = this.#frame;
    let text = prefix;
    for (const { bytes } of this.#fragments) {
      text += text === prefix ? bytes.slice(SEPARATOR.length) : bytes;
    }
    return text + suffix;
  }

  toBuffer(): Buffer {
    return Buffer.from(this.toBinaryString(), "latin1");
  }
}

/** Characters of an entity tag: 128 bits of a SHA-256 in hexadecimal. */
const TAG_LENGTH = 32;

/** Formats the hash of some digests, or of a body, as a weak entity tag. */
export function toEntityTag(content: Int32Array | string): string {
  return `W/"${hash("sha256", content, "hex").slice(0, TAG_LENGTH)}"`;
}

/** Puts fragments into a body, for selections that are not prepared. */
export function toFlagListBody(frame: Frame, fragments: readonly Fragment[]): FlagListBody {
  const digests = new Int32Array((1 + fragments.length) * DIGEST_WORDS);
  digests.set(frame.digest);
  let byteLength = 0;
  for (const [index, fragment] of fragments.entries()) {
    digests.set(fragment.digests, (1 + index) * DIGEST_WORDS);
    byteLength += fragment.bytes.length;
  }
  return new FlagListBody(frame, fragments, byteLength, toEntityTag(digests));
}
