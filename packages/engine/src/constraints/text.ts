import { listOperator } from "./operator.ts";
import type { Operator } from "./operator.ts";

type Comparison = (text: string, value: string) => boolean;

/** STR_*: the comparison holds for the field and one of the values. */
export function compareTexts(compare: Comparison): Operator {
  return listOperator(({ contextName, values, caseInsensitive }, fields) => {
    if (values.length === 0) return false;
    const text = fields.text(contextName);
    const slot = caseInsensitive
      ? fields.derived("lower-case", text, (original) => original?.toLowerCase() ?? null)
      : text;
    // Every text starts with, ends with and contains the empty text.
    if (values.includes("")) return (request) => request.read(slot) !== null;
    const wanted = caseInsensitive ? values.map((value) => value.toLowerCase()) : values;
    return (request) => {
      const actual = request.read(slot);
      return actual !== null && wanted.some((value) => compare(actual, value));
    };
  });
}
