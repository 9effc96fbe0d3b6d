import { listOperator } from "./operator.ts";
import type { Operator } from "./operator.ts";

type Comparison = (text: string, value: string) => boolean;

/** STR_STARTS_WITH: the field starts with one of the values. */
export const startsWith: Operator = compareWith((text, value) => text.startsWith(value));

/** STR_ENDS_WITH: the field ends with one of the values. */
export const endsWith: Operator = compareWith((text, value) => text.endsWith(value));

/** STR_CONTAINS: the field contains one of the values. */
export const contains: Operator = compareWith((text, value) => text.includes(value));

function compareWith(compare: Comparison): Operator {
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
