/** Pattern of names that are part of paths: characters that need no encoding there, except `.` and `..`. */
export const NAME_PATTERN: string = String.raw`^(?!\.{1,2}$)[A-Za-z0-9_.!~*'()-]+$`;

/** The longest name of a flag, a variant, a context field and other resources, in characters. */
export const MAX_NAME_LENGTH = 100;

const NAME = new RegExp(NAME_PATTERN);

/**
 * Whether a flag, a variant, a context field or another resource can be created with this name. Names such as
 * `__proto__` are like any other.
 */
export function isName(text: string): boolean {
  return text.length <= MAX_NAME_LENGTH && NAME.test(text);
}

/** The longest name in a usage report or a registration, in UTF-16 code units. */
const MAX_REPORTED_NAME_LENGTH = 255;

/**
 * Whether usage can be reported for a flag or a variant of this name. An upstream that stores reports in PostgreSQL fails on
 * everything that it received together with a name that is too long or contains U+0000. Flags of an upstream other than
 * `flags-admin` can have any other name.
 */
export function isReportedName(name: string): boolean {
  return name !== "" && name.length <= MAX_REPORTED_NAME_LENGTH && !name.includes("\0");
}

/**
 * Returns the name under which an application is counted: shortened if it is too long, and without NUL and lone
 * surrogates. As in Unleash, it is no reason to reject a report.
 */
export function toReportedName(text: string): string {
  return text.slice(0, MAX_REPORTED_NAME_LENGTH).replaceAll(/[\0\p{Surrogate}]/gu, "\uFFFD");
}
