/** Where a value is in a document. */
export type ValuePath = readonly (string | number)[];

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

/** A value in a text. The path changes when the next value is read. */
interface JsonValue {
  readonly path: ValuePath;
  readonly offset: number;
}

// `JSON.parse` does not always say where it is invalid, and never where a value is. These functions are linear in the
// length of the text, and used only when there is something to report. NOTE: parsers with positions build a tree, which
// takes more than a second for a megabyte.

/** Returns the offset of the first character that is not valid JSON; undefined if all are. */
export function findJsonError(text: string): number | undefined {
  const values = valuesIn(text);
  let next = values.next();
  while (next.done !== true) next = values.next();
  return next.value;
}

/** Returns the offset of the first value whose name occurs earlier in the same object; undefined if there is none. */
export function findRepeatedName(text: string): number | undefined {
  const names: Set<string | number>[] = [];
  for (const { path, offset } of valuesIn(text)) {
    names[path.length] = new Set();
    const name = path.at(-1);
    const siblings = names[path.length - 1];
    if (name === undefined || siblings === undefined) continue;
    if (siblings.has(name)) return offset;
    siblings.add(name);
  }
  return undefined;
}

/** Returns a function that returns the offset of a value; undefined if there is none. */
export function createJsonLocator(text: string): (path: ValuePath) => number | undefined {
  let outline: Map<string, number> | undefined;
  return (path) => {
    if (outline === undefined) {
      outline = new Map();
      for (const value of valuesIn(text)) {
        if (value.path.length <= OUTLINE_DEPTH)
          outline.set(JSON.stringify(value.path), value.offset);
      }
    }
    const start = path.slice(0, OUTLINE_DEPTH);
    const from = outline.get(JSON.stringify(start));
    if (from === undefined || path.length === start.length) return from;
    for (const { path: current, offset } of valuesIn(text, { path: start, offset: from })) {
      const isWanted = current.length === path.length;
      if (isWanted && path.every((part, at) => part === current[at])) return offset;
    }
    return undefined;
  };
}

/**
 * Yields the value at an offset, and those in it. Returns the offset of the first character that does not belong to it;
 * undefined at the end of the text.
 */
function* valuesIn(
  text: string,
  start: JsonValue = { path: [], offset: 0 },
): Generator<JsonValue, number | undefined> {
  const path = [...start.path];
  const open: ("[" | "{")[] = [];
  let at = start.offset;
  const skip = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0] ?? "";
    at += found.length;
    return found;
  };
  const skipString = (): boolean => {
    if (skip(QUOTE) === "") return false;
    for (skip(PLAIN); skip(QUOTE) === ""; skip(PLAIN)) if (skip(ESCAPE) === "") return false;
    return true;
  };
  /** Adds the position of the next value to the path. Returns false if it has none. */
  const enter = (bracket: "[" | "{", index: number): boolean => {
    if (bracket === "[") return path.push(index) > 0;
    skip(BLANK);
    const from = at;
    if (!skipString()) return false;
    path.push(JSON.parse(text.slice(from, at)) as string);
    skip(BLANK);
    return skip(COLON) !== "";
  };
  for (;;) {
    skip(BLANK);
    yield { path, offset: at };
    const bracket = skip(OPEN) as "[" | "{" | "";
    if (bracket === "") {
      if (text[at] === '"' ? !skipString() : skip(LITERAL) === "") return at;
    } else {
      skip(BLANK);
      if (skip(CLOSE[bracket]) === "") {
        open.push(bracket);
        if (!enter(bracket, 0)) return at;
        continue;
      }
    }
    for (skip(BLANK); ; skip(BLANK)) {
      const outer = open.at(-1);
      if (outer === undefined) return at < text.length ? at : undefined;
      const last = path.pop();
      if (skip(CLOSE[outer]) !== "") open.pop();
      else if (skip(COMMA) === "" || !enter(outer, Number(last) + 1)) return at;
      else break;
    }
  }
}
