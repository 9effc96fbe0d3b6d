import { not } from "../compile/condition.ts";
import type { ListOperator } from "./operator.ts";

/** IN: the field equals one of the values. Letter case always matters. */
export const isIn: ListOperator = ({ contextName, values }, fields) => {
  const [only] = values;
  if (only === undefined) return false;
  const slot = fields.text(contextName);
  if (values.length === 1) return (request) => request.read(slot) === only;
  const membership = fields.membership(slot, values);
  return (request) => membership.read(request);
};

/** NOT_IN: the field is absent or equals none of the values. */
export const isNotIn: ListOperator = (constraint, fields) => not(isIn(constraint, fields));
