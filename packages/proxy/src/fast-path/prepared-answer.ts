import type { Answer } from "../render/answer.ts";
import type { ContentCoding } from "./content-coding.ts";
import { compress } from "./content-coding.ts";

/** An answer that was worked out, ready to be sent any number of times. */
export class PreparedAnswer {
  readonly entityTag: string;
  readonly byteLength: number;
  readonly #answer: Answer;
  #body: string | undefined;
  #encoded: Map<ContentCoding, Promise<Buffer>> | undefined;

  constructor(answer: Answer) {
    this.entityTag = answer.entityTag();
    this.byteLength = answer.byteLength;
    this.#answer = answer;
  }

  /** Built when it is needed first, since a 304 never needs it. */
  get body(): string {
    this.#body ??= this.#answer.body();
    return this.#body;
  }

  /** The body in a coding. Compressing runs off the event loop, and once. */
  encoded(coding: ContentCoding): Promise<Buffer> {
    this.#encoded ??= new Map();
    let encoded = this.#encoded.get(coding);
    if (encoded === undefined) {
      encoded = compress(this.body, coding);
      this.#encoded.set(coding, encoded);
    }
    return encoded;
  }
}
