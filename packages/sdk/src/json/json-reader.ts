import type { Steps } from "flags-engine";
import { ListScanner } from "./list-scanner.ts";
import { checkNesting } from "./nesting.ts";

/** So many characters are parsed in one go, which takes no longer than a slice of work. */
const SHORT_LENGTH = 500_000;

type Values = ReadonlyMap<string, unknown>;

/**
 * Reads JSON documents as `JSON.parse` does, and throws what it throws, but limits nesting and pauses within the lists
 * that are members of a long document: 10,000 flags would else be parsed in one go. What stands in
 * such a list as it did in the document before comes out as the same object, and costs nearly
 * nothing. So nobody must modify what was read.
 */
export class JsonReader {
  readonly #shortLength: number;
  /** The elements of the lists of the last document, by their texts. */
  #known: Values = new Map();

  /** @param shortLength up to so many characters there are no pauses */
  constructor(shortLength: number = SHORT_LENGTH) {
    this.#shortLength = shortLength;
  }

  /**
   * Documents must not be read in turns: one has to be finished before the next begins.
   *
   * @throws {DocumentError} when lists and objects are nested too deeply
   * @throws {SyntaxError} when the text is not JSON
   */
  *read(text: string): Steps<unknown> {
    yield* checkNesting(text);
    const isLong = text.length > this.#shortLength && text.trimStart().startsWith("{");
    const document = isLong ? yield* this.#tryInPieces(text) : undefined;
    return document ?? JSON.parse(text);
  }

  /** Undefined for what is not JSON: the error is to be about the whole. */
  *#tryInPieces(text: string): Steps<object | undefined> {
    try {
      const { document, elements } = yield* readInPieces(text, this.#known);
      this.#known = elements;
      return document;
    } catch {
      return undefined;
    }
  }
}

interface Pieces {
  readonly document: object;
  readonly elements: Values;
}

/**
 * Parses the elements of lists apart from the rest, in which numbers stand for them. What is not
 * JSON is not in pieces either: no character is left out, and a piece ends outside of strings.
 */
function* readInPieces(text: string, known: Values): Steps<Pieces> {
  const scanner = new ListScanner(text);
  const elements = new Map<string, unknown>();
  const values: unknown[] = [];
  let rest = "";
  let start = 0;
  for (let mark = scanner.next(); mark !== undefined; mark = scanner.next()) {
    const end = scanner.position - 1;
    const piece = text.slice(start, end);
    // An empty list has no element; elsewhere, what is blank is for the parser to refuse.
    if (mark === "start" || piece.trim() === "") {
      rest += piece;
    } else {
      const value: unknown = known.get(piece) ?? JSON.parse(piece);
      elements.set(piece, value);
      rest += values.push(value) - 1;
      yield;
    }
    rest += text.charAt(end);
    start = end + 1;
  }
  const document = JSON.parse(rest + text.slice(start)) as object;
  return { document: putTogether(document, values), elements };
}

/** NOTE: `fromEntries` defines properties, so a member named `__proto__` is one of them. */
function putTogether(rest: object, values: readonly unknown[]): object {
  const members = Object.entries(rest).map(([name, value]: [string, unknown]) => [
    name,
    Array.isArray(value) ? value.map((number: number) => values[number]) : value,
  ]);
  return Object.fromEntries(members) as object;
}
