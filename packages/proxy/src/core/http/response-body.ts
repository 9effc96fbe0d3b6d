const NOT_ASCII = /[^ -~]/;

/** Encodes text in UTF-8, as a string with one character for each byte. */
export function toBinaryString(text: string): string {
  if (!NOT_ASCII.test(text)) return text;
  return Buffer.from(text).toString("latin1");
}

/** How often the bytes of a body are in memory: once, and at worst once more for each of the two codings. */
export const BODY_FORMS = 3;

/** A response body, whose entity tag is known before its bytes are copied together. */
export class ResponseBody {
  /** A weak entity tag: a cryptographic hash of everything that determines the bytes. */
  readonly entityTag: string;
  readonly byteLength: number;
  #bytes: string | Buffer;
  #isSent = false;

  /**
   * @param text the body, with one character for each byte. V8 copies the strings that it was
   *   concatenated from only when it is sent, so a body that is not sent costs next to nothing.
   */
  constructor(text: string, entityTag: string) {
    this.entityTag = entityTag;
    this.byteLength = text.length;
    this.#bytes = text;
  }

  /** A string, the cheapest form to send once, or a buffer, which needs no copy, for a body that is sent again. */
  bytesToSend(): string | Buffer {
    if (this.#isSent) return this.toBuffer();
    this.#isSent = true;
    return this.#bytes;
  }

  toBuffer(): Buffer {
    const bytes = this.#bytes;
    if (Buffer.isBuffer(bytes)) return bytes;
    const buffer = Buffer.from(bytes, "latin1");
    this.#bytes = buffer;
    return buffer;
  }

  get bytes(): string | Buffer {
    return this.#bytes;
  }

  equals(other: ResponseBody): boolean {
    const [own, others] = [this.#bytes, other.#bytes];
    // NOTE: no buffers, because V8 would release their memory only when its own heap is full.
    if (typeof own === "string" && typeof others === "string") return own === others;
    return this.toBuffer().equals(other.toBuffer());
  }
}
