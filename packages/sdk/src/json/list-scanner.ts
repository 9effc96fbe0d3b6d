import { endOfString } from "./nesting.ts";

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPENING_BRACKET = 0x5b;
const OPENING = 0x7b;
const CLOSING = 0x7d;

/** In this bit brackets differ from braces. */
const BRACE = 0x20;

/** A member of the document that is a list is so deep. */
const LIST_DEPTH = 2;

/** A place where a list starts, between two of its elements, or where it ends. */
export type Mark = "start" | "between" | "end";

/**
 * Goes through the text of a JSON object, from one mark of the lists among its members to the next.
 * It does not check the text: in one that is not JSON, a mark may be anywhere outside of strings.
 */
export class ListScanner {
  readonly #text: string;
  #position = 0;
  #depth = 0;
  #isInList = false;

  constructor(text: string) {
    this.#text = text;
  }

  /** Behind the character of the mark that was found last. */
  get position(): number {
    return this.#position;
  }

  /** Finds the next mark; undefined when there is none. */
  next(): Mark | undefined {
    const text = this.#text;
    // NOTE: hot for every character, so it works on variables, and skips strings in a loop of its own.
    for (let at = this.#position; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) {
        at = endOfString(text, at);
        continue;
      }
      const mark = code === COMMA || (code | BRACE) >= OPENING ? this.#pass(code) : undefined;
      if (mark === undefined) continue;
      this.#position = at + 1;
      return mark;
    }
    this.#position = text.length;
    return undefined;
  }

  #pass(code: number): Mark | undefined {
    const isList = this.#isInList && this.#depth === LIST_DEPTH;
    if (code === COMMA) return isList ? "between" : undefined;
    if ((code | BRACE) === OPENING) return this.#open(code === OPENING_BRACKET);
    if ((code | BRACE) !== CLOSING) return undefined;
    this.#depth -= 1;
    return isList ? "end" : undefined;
  }

  #open(isList: boolean): Mark | undefined {
    this.#depth += 1;
    if (this.#depth !== LIST_DEPTH) return undefined;
    this.#isInList = isList;
    return isList ? "start" : undefined;
  }
}
