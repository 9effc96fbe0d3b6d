import type { Answer } from "../render/answer.ts";
import type { MessageForm } from "./message-forms.ts";

/** An answer as a message of a stream. It is written at most once, and not before it is sent. */
export class PreparedEvent {
  /** The entity tag of the answer. */
  readonly id: string;
  /** How much memory it takes. */
  readonly heldBytes: number;
  readonly #answer: Answer;
  readonly #write: MessageForm["write"];
  #bytes: Buffer | undefined;

  constructor(answer: Answer, { write }: Pick<MessageForm, "write">) {
    this.id = answer.entityTag();
    this.heldBytes = answer.byteLength + answer.heldBytes;
    this.#answer = answer;
    this.#write = write;
  }

  get bytes(): Buffer {
    this.#bytes ??= Buffer.from(this.#write(this.id, this.#answer));
    return this.#bytes;
  }
}
