import { isInList, not } from "../evaluate/condition.ts";
import type { ListOperator } from "./operator.ts";

/** IN: the field equals one of the values. Letter case always matters. */
export const isIn: ListOperator = ({ contextName, values }, fields) =>
  values.length > 0 && isInList(fields.membership(fields.text(contextName), values));

/** NOT_IN: the field is absent or equals none of the values. */
export const isNotIn: ListOperator = (constraint, fields) => not(isIn(constraint, fields));
