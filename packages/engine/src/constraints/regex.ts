import { RE2JS } from "re2js";
import type { Operator } from "./operator.ts";

/**
 * REGEX: the pattern matches anywhere in the field. RE2 syntax, matched in linear time, so that no
 * pattern and no context can block the event loop.
 */
export const matchesPattern: Operator = ({ contextName, value, caseInsensitive }, fields) => {
  if (typeof value !== "string") return false;
  const pattern = compilePattern(value, caseInsensitive);
  if (pattern === undefined) return false;
  const slot = fields.text(contextName);
  return (request) => {
    const text = request.read(slot);
    return text !== null && pattern.test(text);
  };
};

function compilePattern(source: string, caseInsensitive: boolean): RE2JS | undefined {
  try {
    return RE2JS.compile(source, caseInsensitive ? RE2JS.CASE_INSENSITIVE : 0);
  } catch {
    return undefined;
  }
}
