import { hash } from "node:crypto";
import { digestOf, type Fragment, SEPARATOR } from "./fragment.ts";

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

/** Estimated memory of a body that has not been sent, besides the fragments that it refers to. */
const REFERENCE_BYTES = 32;

/** A list of flags as a response body. */
export class FlagListBody implements ResponseBody {
  readonly entityTag: string;
  readonly byteLength: number;
  /** Memory for the references to its fragments. */
  readonly referenceBytes: number;
  readonly #text: string;

  /**
   * @param text the body, with one character for each byte. V8 copies the strings that it was
   *   concatenated from only when it is sent, so a body that is not sent costs next to nothing.
   * @param fragmentCount how many strings that were
   */
  constructor(text: string, fragmentCount: number, entityTag: string) {
    this.#text = text;
    this.byteLength = text.length;
    this.referenceBytes = fragmentCount * REFERENCE_BYTES;
    this.entityTag = entityTag;
  }

  toBinaryString(): string {
    return this.#text;
  }

  toBuffer(): Buffer {
    return Buffer.from(this.#text, "latin1");
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
  const digests = [...frame.digest, ...fragments.flatMap((fragment) => [...fragment.digests])];
  const flags = fragments.map(({ bytes }) => bytes).join("");
  const text = frame.prefix + flags.slice(SEPARATOR.length) + frame.suffix;
  return new FlagListBody(text, fragments.length, toEntityTag(Int32Array.from(digests)));
}
