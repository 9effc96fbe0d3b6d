import { writeEvent } from "flags-service/http";
import type { Answer } from "../render/answer.ts";

/** An answer as a message of a stream. It is written at most once, and not before it is sent. */
export class PreparedEvent {
  /** The entity tag of the answer. */
  readonly id: string;
  /** How many bytes the answer has. */
  readonly byteLength: number;
  readonly #answer: Answer;
  #bytes: Buffer | undefined;

  constructor(answer: Answer) {
    this.id = answer.entityTag();
    this.byteLength = answer.byteLength;
    this.#answer = answer;
  }

  get bytes(): Buffer {
    this.#bytes ??= Buffer.from(
      writeEvent({ name: "toggles", id: this.id, data: this.#answer.body().toString() }),
    );
    return this.#bytes;
  }
}
