// NOTE: if a token were read differently from RE2JS, a part of the pattern could be hidden from the estimate,
// for example in a class that does not exist: `\Q[\E`.
//
// NOTE: no name of a property has 100 characters. Without this limit, each `\p{` would be read to the end of the pattern.
const PROPERTY = String.raw`\\[pP](?:\{[^}]{0,100}\}|.)`;
const IN_CLASS = String.raw`(?:\\.?|[^\]\\])`;
const CLASS_ITEMS = String.raw`\[:\^?[a-z]+:\]|${PROPERTY}|\\[dDsSwW]|${IN_CLASS}(?:-${IN_CLASS})?`;
const COUNT = String.raw`0|[1-9]\d*`;

const TOKEN = new RegExp(
  [
    String.raw`\\Q(?<quoted>.*?)(?:\\E|$)`,
    String.raw`(?<flags>\(\?[a-zA-Z-]*\))`,
    String.raw`\\x\{[\da-fA-F]+\}`,
    PROPERTY,
    String.raw`\\.`,
    // The end of a class can be missing: RE2JS reads all of it before it fails.
    String.raw`\[\^?\]?(?:${CLASS_ITEMS})*(?:\]|$)`,
    String.raw`\{(?<min>${COUNT})(?:,(?<max>${COUNT})?)?\}`,
    ".",
  ].join("|"),
  "gsu",
);

/**
 * Estimates the time for compiling a pattern, in instructions: one for each character or class, as often as it is
 * repeated, and what large classes cost once.
 */
export function estimatePatternSize(text: string): number {
  const groupStarts: number[] = [];
  let size = 0;
  let lastSize = 0;
  let classCost = 0;
  for (const { 0: token, groups: { quoted, flags, min, max } = {} } of text.matchAll(TOKEN)) {
    // NOTE: a repetition after flags or an empty quotation repeats what precedes these.
    if (flags !== undefined || quoted === "") continue;
    if (min !== undefined) {
      const count = Math.max(1, Number(min), Number(max ?? 0));
      size += lastSize * (count - 1);
      lastSize *= count;
    } else if (token === "(") {
      groupStarts.push(size);
    } else if (token === ")") {
      size += 1;
      lastSize = size - (groupStarts.pop() ?? 0);
    } else if ("*+?".includes(token)) {
      size += 1;
      lastSize += 1;
    } else {
      size += quoted?.length ?? 1;
      lastSize = 1;
      classCost += costOfClasses(token);
    }
  }
  return size + classCost;
}

/** What a class such as `\pL` costs: it has hundreds of ranges. */
const PROPERTY_COST = 50;

/** RE2JS visits each character of a range if the pattern ignores case, which takes 20 ms for all of Unicode. */
const CHARACTERS_PER_COST = 250;

/** The last character with a lower and an upper case form. */
const LAST_LETTER = 0x1e943;

const CLASS_TOKEN = /\\x\{(?<code>[\da-fA-F]+)\}|(?<property>\\[pP])|\\.|./gsu;

function costOfClasses(token: string): number {
  let cost = 0;
  let isRange = false;
  let last = 0;
  for (const { 0: part, groups: { code, property } = {} } of token.matchAll(CLASS_TOKEN)) {
    const current = Math.min(
      code === undefined ? literalCode(part) : Number.parseInt(code, 16),
      LAST_LETTER,
    );
    if (property !== undefined) cost += PROPERTY_COST;
    if (isRange) cost += Math.max(0, Math.floor((current - last) / CHARACTERS_PER_COST));
    isRange = part === "-";
    if (!isRange) last = current;
  }
  return cost;
}

/** Escapes other than `\x{…}` stand for characters with low codes. */
function literalCode(part: string): number {
  return part.startsWith("\\") ? 0 : (part.codePointAt(0) ?? 0);
}
