/** Where a value is in a document. */
export type ValuePath = readonly (string | number)[];

/** Far more levels than any document has; the scanner is recursive. */
const MAX_DEPTH = 500;

/** Values up to this level, such as the entries of a list of flags or keys, are found without another scan. */
const OUTLINE_DEPTH = 2;

const BLANK = /[ \t\n\r]*/y;
const OPEN = /[[{]/y;
const CLOSE = { "[": /\]/y, "{": /\}/y } as const;
const COMMA = /,/y;
const COLON = /:/y;
const QUOTE = /"/y;
const PLAIN = /[\u0020\u0021\u0023-\u005b\u005d-\uffff]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})/y;
const LITERAL = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/** Called with each value. Can throw a `Stop`. */
type OnValue = (path: ValuePath, offset: number) => void;

// `JSON.parse` does not always say where it is invalid, and never where a value is. These functions are linear in the
// length of the text, and used only when there is something to report. NOTE: parsers with positions build a tree, which
// takes more than a second for a megabyte.

/** Returns the offset of the first character that is not valid JSON; undefined if all are. */
export function findJsonError(text: string): number | undefined {
  return scan(text, () => undefined);
}

/** Returns the offset of the first value whose name occurs earlier in the same object; undefined if there is none. */
export function findRepeatedName(text: string): number | undefined {
  const names: Set<string | number>[] = [];
  return scan(text, (path, offset) => {
    names[path.length] = new Set();
    const name = path.at(-1);
    if (name === undefined) return;
    const siblings = names[path.length - 1];
    if (siblings?.has(name) === true) throw new Stop(offset);
    siblings?.add(name);
  });
}

/** Returns a function that returns the offset of a value; undefined if there is none. */
export function createJsonLocator(text: string): (path: ValuePath) => number | undefined {
  let outline: Map<string, number> | undefined;
  return (path) => {
    if (outline === undefined) {
      const offsets = new Map<string, number>();
      scan(text, (current, offset) => {
        if (current.length <= OUTLINE_DEPTH) offsets.set(JSON.stringify(current), offset);
      });
      outline = offsets;
    }
    const start = path.slice(0, OUTLINE_DEPTH);
    const from = outline.get(JSON.stringify(start));
    if (from === undefined || path.length === start.length) return from;
    return stopOf(() => {
      scanValue(text, { path: start, offset: from }, (current, offset) => {
        const isWanted = current.length === path.length;
        if (isWanted && path.every((part, at) => part === current[at])) throw new Stop(offset);
      });
    });
  };
}

/** Reads the whole text. Returns where the scan has stopped; undefined at the end. */
function scan(text: string, onValue: OnValue): number | undefined {
  return stopOf(() => {
    const end = scanValue(text, { path: [], offset: 0 }, onValue);
    if (end < text.length) throw new Stop(end);
  });
}

function stopOf(read: () => void): number | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    if (error instanceof Stop) return error.offset;
    throw error;
  }
}

/** Reads the value at an offset, and the blanks around it. Returns the offset after them. */
function scanValue(
  text: string,
  start: { readonly path: ValuePath; readonly offset: number },
  onValue: OnValue,
): number {
  const path = [...start.path];
  let at = start.offset;
  const skip = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0] ?? "";
    at += found.length;
    return found;
  };
  const expect = (pattern: RegExp): void => {
    if (skip(pattern) === "") throw new Stop(at);
  };
  const readString = (): void => {
    expect(QUOTE);
    for (skip(PLAIN); skip(QUOTE) === ""; skip(PLAIN)) expect(ESCAPE);
  };
  const readName = (): string => {
    skip(BLANK);
    const from = at;
    readString();
    const name = JSON.parse(text.slice(from, at)) as string;
    skip(BLANK);
    expect(COLON);
    return name;
  };
  const readEntries = (open: "[" | "{"): void => {
    skip(BLANK);
    if (skip(CLOSE[open]) !== "") return;
    for (let index = 0; index === 0 || skip(CLOSE[open]) === ""; index += 1) {
      if (index > 0) expect(COMMA);
      path.push(open === "[" ? index : readName());
      readValue();
      path.pop();
    }
  };
  const readValue = (): void => {
    skip(BLANK);
    onValue(path, at);
    if (path.length > MAX_DEPTH) throw new Stop(at);
    const open = skip(OPEN);
    if (open === "[" || open === "{") readEntries(open);
    else if (text[at] === '"') readString();
    else expect(LITERAL);
    skip(BLANK);
  };
  readValue();
  return at;
}

/** Ends a scan at an offset. */
class Stop extends Error {
  readonly offset: number;

  constructor(offset: number) {
    super();
    this.offset = offset;
  }
}
