import { DocumentError } from "flags-engine";
import type { Steps } from "flags-engine";

/** Documents up to this many characters are parsed in one step, within the duration of a time slice. */
const SHORT_LENGTH = 500_000;

type Values = ReadonlyMap<string, unknown>;

/**
 * Parses JSON like `JSON.parse`, with the same results and errors, but with a nesting limit and
 * without blocking the event loop: a document of 10,000 flags takes longer than a request should
 * wait. So in a long document the elements of the top-level lists (flags, segments) are parsed one
 * by one, with a pause after each. An element with the same text as in the previous document is not
 * parsed again: the result contains the same object. Therefore callers must not modify results.
 */
export class JsonReader {
  readonly #shortLength: number;
  /** The list elements of the previous document, by text. */
  #previousElements: Values = new Map();

  /** @param shortLength documents up to this many characters are parsed without pauses */
  constructor(shortLength: number = SHORT_LENGTH) {
    this.#shortLength = shortLength;
  }

  /**
   * Parses a document. Calls must not overlap: complete one before starting the next.
   *
   * @throws {DocumentError} if lists and objects are nested too deeply
   * @throws {SyntaxError} if the text is not JSON
   */
  *read(text: string): Steps<unknown> {
    yield* checkNesting(text);
    const isLong = text.length > this.#shortLength && text.trimStart().startsWith("{");
    const document = isLong ? yield* this.#tryReadElements(text) : undefined;
    return document ?? JSON.parse(text);
  }

  /** Returns undefined if the text is not JSON, so that the error refers to the whole text. */
  *#tryReadElements(text: string): Steps<object | undefined> {
    try {
      const { document, elements } = yield* readElements(text, this.#previousElements);
      this.#previousElements = elements;
      return document;
    } catch {
      return undefined;
    }
  }
}

/** Flag documents have about ten levels. Recursive functions must not overflow the stack. */
const MAX_DEPTH = 100;

const CHARACTERS_PER_STEP = 200_000;

/**
 * Limits the nesting of lists and objects in linear time, before the text is parsed: parsing costs
 * memory and time for every level. Pauses within long texts.
 *
 * @throws {DocumentError} if there are more than 100 levels
 */
export function* checkNesting(text: string): Steps<void> {
  let depth = 0;
  let pauseAt = CHARACTERS_PER_STEP;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if ((code | BRACE) === OPENING) depth += 1;
    else if ((code | BRACE) === CLOSING) depth -= 1;
    if (depth > MAX_DEPTH) {
      throw new DocumentError(`Lists and objects are nested more than ${MAX_DEPTH} levels deep`);
    }
    if (at < pauseAt) continue;
    pauseAt = at + CHARACTERS_PER_STEP;
    yield;
  }
}

interface ParsedElements {
  readonly document: object;
  readonly elements: Values;
}

/**
 * Parses the elements of the top-level lists one by one, and the rest of the text with each element
 * replaced by its index. Throws for exactly the texts that `JSON.parse` rejects, because every
 * character is parsed as part of an element or of the rest, and no string is split.
 */
function* readElements(text: string, previous: Values): Steps<ParsedElements> {
  const scanner = new ListScanner(text);
  const elements = new Map<string, unknown>();
  const values: unknown[] = [];
  let rest = "";
  let start = 0;
  for (let boundary = scanner.next(); boundary !== undefined; boundary = scanner.next()) {
    const end = scanner.position - 1;
    const part = text.slice(start, end);
    // An empty list has no element; any other blank part is an error that parsing the rest reports.
    if (boundary === "start" || part.trim() === "") {
      rest += part;
    } else {
      const value: unknown = previous.get(part) ?? JSON.parse(part);
      elements.set(part, value);
      rest += values.push(value) - 1;
      yield;
    }
    rest += text.charAt(end);
    start = end + 1;
  }
  const document = JSON.parse(rest + text.slice(start)) as object;
  return { document: replaceIndexes(document, values), elements };
}

/** Replaces the indexes in the top-level lists with the values they refer to. */
function replaceIndexes(document: object, values: readonly unknown[]): object {
  const members = Object.entries(document).map(([name, value]: [string, unknown]) => [
    name,
    Array.isArray(value) ? value.map((index: number) => values[index]) : value,
  ]);
  // NOTE: `fromEntries` defines properties, so it is safe for a member named `__proto__`.
  return Object.fromEntries(members) as object;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPENING_BRACKET = 0x5b;
const OPENING = 0x7b;
const CLOSING = 0x7d;

/** The only bit in which the codes of brackets and braces differ. */
const BRACE = 0x20;

/** The depth within a list that is a member of the document. */
const LIST_DEPTH = 2;

/** The start or end of a top-level list, or the comma between two elements. */
type Boundary = "start" | "comma" | "end";

/**
 * Finds the boundaries of the elements in the top-level lists of a JSON object. Does not validate
 * the text: in an invalid one, a boundary may be anywhere outside strings.
 */
class ListScanner {
  readonly #text: string;
  #position = 0;
  #depth = 0;
  #isInList = false;

  constructor(text: string) {
    this.#text = text;
  }

  /** The position after the character of the last boundary. */
  get position(): number {
    return this.#position;
  }

  /** Finds the next boundary; returns undefined at the end of the text. */
  next(): Boundary | undefined {
    const text = this.#text;
    // NOTE: runs for every character, so it uses local variables and skips strings in another loop.
    for (let at = this.#position; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) {
        at = endOfString(text, at);
        continue;
      }
      const boundary = code === COMMA || (code | BRACE) >= OPENING ? this.#visit(code) : undefined;
      if (boundary === undefined) continue;
      this.#position = at + 1;
      return boundary;
    }
    this.#position = text.length;
    return undefined;
  }

  #visit(code: number): Boundary | undefined {
    const isInTopLevelList = this.#isInList && this.#depth === LIST_DEPTH;
    if (code === COMMA) return isInTopLevelList ? "comma" : undefined;
    if ((code | BRACE) === OPENING) return this.#open(code === OPENING_BRACKET);
    if ((code | BRACE) !== CLOSING) return undefined;
    this.#depth -= 1;
    return isInTopLevelList ? "end" : undefined;
  }

  #open(isList: boolean): Boundary | undefined {
    this.#depth += 1;
    if (this.#depth !== LIST_DEPTH) return undefined;
    this.#isInList = isList;
    return isList ? "start" : undefined;
  }
}

/** Returns the position of the quote that closes the string opened at `start`, or the end of the text. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== QUOTE) {
    at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  }
  return at;
}
