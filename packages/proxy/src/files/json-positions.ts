/** Where a value is in a document. */
export type ValuePath = readonly (string | number)[];

/** Far more levels than any document has; the scanner is recursive. */
const MAX_DEPTH = 500;

/** Values up to this level, such as the entries of a list of flags or keys, are found without another scan. */
const OUTLINE_DEPTH = 2;

const BLANK = /[ \t\n\r]*/y;
const LITERAL = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
/** The quote, an escape, or a character that must be escaped. */
const STRING_END = /[^\u0020\u0021\u0023-\u005b\u005d-\uffff]/g;
const ESCAPE = /\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})/y;

/** Called with each value. Can throw a `Stop`. */
type OnValue = (path: ValuePath, offset: number) => void;

/**
 * Finds positions in JSON text. `JSON.parse` does not always say where it is invalid, and never
 * where a value is. Linear in the length of the text, and used only when there is something to report.
 *
 * NOTE: parsers with positions build a tree, which takes more than a second for a megabyte.
 */
export class JsonPositions {
  readonly #text: string;
  #at = 0;
  #path: (string | number)[] = [];
  #onValue: OnValue = () => undefined;
  #outline: ReadonlyMap<string, number> | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** Returns the offset of the first character that is not valid JSON; undefined if all are. */
  findError(): number | undefined {
    return this.#scan(() => undefined);
  }

  /** Returns the offset of the first value whose name occurs earlier in the same object; undefined if there is none. */
  findRepeated(): number | undefined {
    const names: Set<string | number>[] = [];
    return this.#scan((path, offset) => {
      names[path.length] = new Set();
      const name = path.at(-1);
      if (name === undefined) return;
      const siblings = names[path.length - 1];
      if (siblings?.has(name) === true) throw new Stop(offset);
      siblings?.add(name);
    });
  }

  /** Returns the offset of a value; undefined if there is none. */
  find(path: ValuePath): number | undefined {
    const start = path.slice(0, OUTLINE_DEPTH);
    const offset = this.#readOutline().get(JSON.stringify(start));
    if (offset === undefined || path.length === start.length) return offset;
    return this.#scanValue(start, offset, (current, currentOffset) => {
      if (current.length === path.length && path.every((part, at) => part === current[at])) {
        throw new Stop(currentOffset);
      }
    });
  }

  #readOutline(): ReadonlyMap<string, number> {
    if (this.#outline !== undefined) return this.#outline;
    const outline = new Map<string, number>();
    this.#scan((path, offset) => {
      if (path.length <= OUTLINE_DEPTH) outline.set(JSON.stringify(path), offset);
    });
    this.#outline = outline;
    return outline;
  }

  /** Reads the whole text. Returns where the scan has stopped; undefined at the end. */
  #scan(onValue: OnValue): number | undefined {
    const stopped = this.#scanValue([], 0, onValue);
    if (stopped !== undefined) return stopped;
    this.#skip(BLANK);
    return this.#at < this.#text.length ? this.#at : undefined;
  }

  /** Reads one value. Returns where the scan has stopped; undefined at the end of the value. */
  #scanValue(path: ValuePath, offset: number, onValue: OnValue): number | undefined {
    this.#at = offset;
    this.#path = [...path];
    this.#onValue = onValue;
    try {
      this.#value();
      return undefined;
    } catch (stop) {
      if (stop instanceof Stop) return stop.offset;
      throw stop;
    }
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
