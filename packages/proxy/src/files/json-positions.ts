/** Where a value is in a document. */
export type ValuePath = readonly (string | number)[];

/** Far more levels than any document has; the scanner is recursive. */
const MAX_DEPTH = 500;

const BLANK = /[ \t\n\r]*/y;
const LITERAL = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
/** The quote, an escape, or a character that must be escaped. */
const STRING_END = /[^\u0020\u0021\u0023-\u005b\u005d-\uffff]/g;
const ESCAPE = /\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})/y;

/**
 * Finds positions in a text of JSON. `JSON.parse` does not always say where a text is invalid, and never
 * where a value is. Linear in the length of the text, and used only when there is something to report.
 *
 * NOTE: parsers with positions build a tree, which takes more than a second for a megabyte.
 */
export class JsonPositions {
  readonly #text: string;
  #at = 0;
  #path: (string | number)[] = [];
  #onValue: (path: ValuePath, offset: number) => void = () => undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** Returns the offset of the first character that is not valid JSON; undefined if all are. */
  findError(): number | undefined {
    try {
      this.#scan(() => undefined);
      return undefined;
    } catch (stop) {
      if (stop instanceof Stop) return stop.offset;
      throw stop;
    }
  }

  /** Returns the offset of a value; undefined if there is none. */
  find(path: ValuePath): number | undefined {
    try {
      this.#scan((current, offset) => {
        if (current.length === path.length && path.every((part, at) => part === current[at])) {
          throw new Stop(offset);
        }
      });
      return undefined;
    } catch (stop) {
      if (stop instanceof Stop) return stop.offset;
      throw stop;
    }
  }

  #scan(onValue: (path: ValuePath, offset: number) => void): void {
    this.#at = 0;
    this.#path = [];
    this.#onValue = onValue;
    this.#value();
    this.#skip(BLANK);
    if (this.#at < this.#text.length) throw new Stop(this.#at);
  }

  #value(): void {
    this.#skip(BLANK);
    this.#onValue(this.#path, this.#at);
    if (this.#path.length > MAX_DEPTH) throw new Stop(this.#at);
    const first = this.#text[this.#at];
    if (first === "{") this.#entries("}", () => this.#member());
    else if (first === "[") this.#entries("]", (index) => this.#valueAt(index));
    else if (first === '"') this.#string();
    else if (!this.#skip(LITERAL)) throw new Stop(this.#at);
  }

  #entries(end: string, readEntry: (index: number) => void): void {
    this.#at += 1;
    this.#skip(BLANK);
    if (this.#skipIf(end)) return;
    for (let index = 0; ; index += 1) {
      readEntry(index);
      this.#skip(BLANK);
      if (this.#skipIf(end)) return;
      this.#expect(",");
    }
  }

  #member(): void {
    this.#skip(BLANK);
    const start = this.#at;
    this.#string();
    const name = JSON.parse(this.#text.slice(start, this.#at)) as string;
    this.#skip(BLANK);
    this.#expect(":");
    this.#valueAt(name);
  }

  #valueAt(key: string | number): void {
    this.#path.push(key);
    this.#value();
    this.#path.pop();
  }

  #string(): void {
    this.#expect('"');
    for (;;) {
      STRING_END.lastIndex = this.#at;
      const found = STRING_END.exec(this.#text);
      this.#at = found?.index ?? this.#text.length;
      if (this.#skipIf('"')) return;
      if (!this.#skip(ESCAPE)) throw new Stop(this.#at);
    }
  }

  #expect(character: string): void {
    if (!this.#skipIf(character)) throw new Stop(this.#at);
  }

  #skipIf(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  /** Skips what a pattern matches here; returns whether that is anything. */
  #skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    const length = pattern.exec(this.#text)?.[0].length ?? 0;
    this.#at += length;
    return length > 0;
  }
}

/** Ends a scan at an offset. */
class Stop extends Error {
  readonly offset: number;

  constructor(offset: number) {
    super();
    this.offset = offset;
  }
}

/** Describes an offset in a text, such as `line 3, column 7`. */
export function describePosition(text: string, offset: number): string {
  const before = text.slice(0, offset);
  const line = before.split("\n").length;
  return `line ${line}, column ${offset - before.lastIndexOf("\n")}`;
}
