import type { ListOperator } from "./operator.ts";

type Comparison = (text: string, value: string) => boolean;

/** STR_STARTS_WITH: the field begins with one of the values. */
export const startsWith: ListOperator = compareWith((text, value) => text.startsWith(value));

/** STR_ENDS_WITH: the field ends with one of the values. */
export const endsWith: ListOperator = compareWith((text, value) => text.endsWith(value));

/** STR_CONTAINS: the field contains one of the values. */
export const contains: ListOperator = compareWith((text, value) => text.includes(value));

function compareWith(compare: Comparison): ListOperator {
  return ({ contextName, values, caseInsensitive }, fields) => {
    if (values.length === 0) return false;
    const slot = caseInsensitive
      ? fields.derived("lower-case", contextName, (text) => text?.toLowerCase() ?? null)
      : fields.text(contextName);
    // Every text begins with, ends with and contains the empty one.
    if (values.includes("")) return (request) => request.read(slot) !== null;
    const wanted = caseInsensitive ? values.map((value) => value.toLowerCase()) : values;
    return (request) => {
      const text = request.read(slot);
      return text !== null && wanted.some((value) => compare(text, value));
    };
  };
}
