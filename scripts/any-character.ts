import fc from "fast-check";

const LAST_CODE_POINT = 0x10_ffff;
const FIRST_SURROGATE = 0xd800;
const SURROGATE_COUNT = 0x800;

/**
 * Any code point except halves of surrogate pairs, for `fc.string()`. Its own unit `binary` generates the same, but needs
 * two seconds in each process to build a map of all code points.
 */
export const anyCharacter: fc.Arbitrary<string> = fc
  .integer({ min: 0, max: LAST_CODE_POINT - SURROGATE_COUNT })
  .map(
    (index) => String.fromCodePoint(index < FIRST_SURROGATE ? index : index + SURROGATE_COUNT),
    (character) => toIndex(character),
  );

/** The inverse. With it, fast-check also tries dangerous strings such as `__proto__`. It throws for other values. */
function toIndex(character: unknown): number {
  const codePoint = typeof character === "string" ? character.codePointAt(0) : undefined;
  if (codePoint === undefined || String.fromCodePoint(codePoint) !== character) {
    throw new TypeError("The value is not one character");
  }
  return codePoint < FIRST_SURROGATE ? codePoint : codePoint - SURROGATE_COUNT;
}
