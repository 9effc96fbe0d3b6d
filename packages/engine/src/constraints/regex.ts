import { type Operator, reportUnreadable } from "./operator.ts";
import { estimatePatternSize } from "./pattern-size.ts";

/**
 * The product of the instructions of a pattern and the length of a string is at most this. Matching takes up to 0.2 µs for
 * each instruction and character, and `.{1000}` has 1000 instructions.
 */
const MAX_STEPS = 500_000;

/**
 * The largest pattern that is compiled, in instructions. A few kilobytes of text can describe a million, which take seconds
 * and hundreds of megabytes. With `MAX_STEPS`, a larger one could match only strings of about 10 characters.
 */
const MAX_INSTRUCTIONS = 50_000;

const ALLOWED = "a regular expression in the syntax of RE2";

/**
 * REGEX: the pattern matches anywhere in the field. RE2 syntax, matched in linear time. No pattern matches a string that is
 * so long that it would block the event loop: with 10 instructions, one of more than 50,000 characters.
 */
export const matchesPattern: Operator = (constraint, fields, report, patterns) => {
  const { contextName, value, caseInsensitive } = constraint;
  if (typeof value !== "string") return reportUnreadable(constraint, ALLOWED, report);
  if (estimatePatternSize(value) > MAX_INSTRUCTIONS) {
    report("The pattern of REGEX is too large: the constraint is never satisfied");
    return undefined;
  }
  const pattern = patterns.compile(value, caseInsensitive);
  if (pattern === undefined) return reportUnreadable(constraint, ALLOWED, report);
  const slot = fields.text(contextName);
  const maxLength = MAX_STEPS / pattern.programSize();
  return (request) => {
    const text = request.read(slot);
    return text !== null && text.length <= maxLength && pattern.test(text);
  };
};
