import { CodedText, type ContentCoding } from "flags-service/http";
import type { Answer } from "../render/answer.ts";

/** An answer that was worked out, ready to be sent any number of times. */
export class PreparedAnswer {
  readonly entityTag: string;
  readonly byteLength: number;
  readonly #answer: Answer;
  #body: string | undefined;
  #coded: CodedText | undefined;

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
    this.#coded ??= new CodedText(this.body);
    return this.#coded.in(coding);
  }
}
