import { CodedBody, type ContentCoding } from "flags-service/http";
import type { Answer } from "../render/answer.ts";

/** An answer that was worked out, ready to be sent any number of times. */
export class PreparedAnswer {
  readonly entityTag: string;
  readonly byteLength: number;
  readonly #frameText: string;
  /** What its body comes from, and then the body. */
  #source: Answer | Buffer;
  #isKept = false;
  #coded: CodedBody | undefined;

  constructor(answer: Answer) {
    this.entityTag = answer.entityTag();
    this.byteLength = answer.byteLength;
    this.#frameText = answer.frame.text;
    this.#source = answer;
  }

  /** Whether it will be sent again, so that its body is worth keeping. */
  get isKept(): boolean {
    return this.#isKept;
  }

  /** NOTE: the body may take less memory than knowing what it is made of. */
  keep(): void {
    this.#isKept = true;
    void this.body;
  }

  /** Names what is in it: equal names, equal bodies. No question is such a text. */
  get content(): string {
    return this.#frameText + this.entityTag;
  }

  /** Built when it is needed first. */
  get body(): Buffer {
    if (!Buffer.isBuffer(this.#source)) this.#source = this.#source.body();
    return this.#source;
  }

  /** Writes the body into a room of the memory of the pieces. */
  writeTo(room: Buffer): void {
    if (Buffer.isBuffer(this.#source)) room.set(this.#source);
    else this.#source.writeTo(room);
  }

  /** The body in a coding; it is compressed once. */
  encoded(coding: ContentCoding): Buffer | Promise<Buffer> {
    this.#coded ??= new CodedBody(this.body);
    return this.#coded.in(coding);
  }
}
