import { CodedBody, type ContentCoding } from "flags-service/http";
import type { Answer } from "../render/answer.ts";

/** An answer that was worked out, ready to be sent any number of times. */
export class PreparedAnswer {
  readonly entityTag: string;
  readonly byteLength: number;
  readonly #answer: Answer;
  #isKept = false;
  #body: Buffer | undefined;
  #coded: CodedBody | undefined;

  constructor(answer: Answer) {
    this.entityTag = answer.entityTag();
    this.byteLength = answer.byteLength;
    this.#answer = answer;
  }

  /** Whether it will be sent again, so that its body is worth keeping. */
  get isKept(): boolean {
    return this.#isKept;
  }

  keep(): void {
    this.#isKept = true;
  }

  /** Names what is in it: equal names, equal bodies. No question is such a text. */
  get content(): string {
    return this.#answer.frame.text + this.entityTag;
  }

  /** Built when it is needed first, since a 304 never needs it. */
  get body(): Buffer {
    this.#body ??= this.#answer.body();
    return this.#body;
  }

  /** Writes the body into a room of the memory of the pieces. */
  writeTo(room: Buffer): void {
    this.#answer.writeTo(room);
  }

  /** The body in a coding; it is compressed once. */
  encoded(coding: ContentCoding): Buffer | Promise<Buffer> {
    this.#coded ??= new CodedBody(this.body);
    return this.#coded.in(coding);
  }
}
