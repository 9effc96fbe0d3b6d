import { not } from "../compile/condition.ts";
import type { ListOperator } from "./operator.ts";

/** IN: the field equals one of the values. Letter case always matters. */
export const isIn: ListOperator = ({ contextName, values }, fields) => {
  const [only] = values;
  if (only === undefined) return false;
  const slot = fields.text(contextName);
  if (values.length === 1) return (request) => request.read(slot) === only;
  const members = new Set(values);
  return (request) => {
    const text = request.read(slot);
    return text !== null && members.has(text);
  };
};

/** NOT_IN: the field is absent or equals none of the values. */
export const isNotIn: ListOperator = (constraint, fields) => not(isIn(constraint, fields));
