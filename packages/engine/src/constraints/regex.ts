import { RE2JS } from "re2js";
import type { EvaluationRequest } from "../evaluate/evaluation-request.ts";
import { type Operator, reportUnreadable } from "./operator.ts";
import { estimatePatternSize } from "./pattern-size.ts";

/**
 * The product of the instructions of a pattern and the length of a string is at most this. Matching takes up to 0.2 µs for
 * each instruction and character, and `.{1000}` has 1000 instructions.
 */
const MAX_STEPS = 500_000;

/**
 * Longer strings share the budget of their request. Identifiers, addresses and most names of browsers are shorter. They
 * match however many patterns there are, and their time depends on the patterns, which clients do not choose.
 */
const MAX_SHORT_LENGTH = 250;

/**
 * The largest pattern that is compiled, in instructions. A few kilobytes of text can describe a million, which take seconds
 * and hundreds of megabytes. With `MAX_STEPS`, a larger one could match only strings of about 10 characters.
 */
const MAX_INSTRUCTIONS = 50_000;

const ALLOWED = "a regular expression in the syntax of RE2";

/**
 * REGEX: the pattern matches anywhere in the field. RE2 syntax, matched in linear time. No pattern matches a string that is
 * so long that it would block the event loop: with 10 instructions, one of more than 12,500 characters.
 */
export const matchesPattern: Operator = (constraint, fields, report, patterns) => {
  const { contextName, value, caseInsensitive } = constraint;
  if (typeof value !== "string") return reportUnreadable(constraint, ALLOWED, report);
  if (estimatePatternSize(value) > MAX_INSTRUCTIONS) {
    report("The pattern of REGEX is too large: the constraint is never satisfied");
    return undefined;
  }
  const form = `regex ${caseInsensitive} ${value}`;
  const pattern = patterns.has(form) ? patterns.get(form) : tryCompile(value, caseInsensitive);
  patterns.set(form, pattern);
  if (pattern === undefined) return reportUnreadable(constraint, ALLOWED, report);
  const size = pattern.programSize();
  const isMatch = (text: string, request: EvaluationRequest): boolean => {
    const steps = size * text.length;
    const isAffordable =
      text.length > MAX_SHORT_LENGTH ? request.trySpend(steps) : steps <= MAX_STEPS;
    return isAffordable && pattern.test(text);
  };
  const slot = fields.derived(form, fields.text(contextName), (text, request) =>
    Number(text !== null && isMatch(text, request)),
  );
  return (request) => request.read(slot) === 1;
};

function tryCompile(source: string, caseInsensitive: boolean): RE2JS | undefined {
  try {
    return RE2JS.compile(source, caseInsensitive ? RE2JS.CASE_INSENSITIVE : 0);
  } catch {
    return undefined;
  }
}
