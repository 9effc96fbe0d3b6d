import { inList, not } from "../evaluate/condition.ts";
import type { Condition } from "../evaluate/condition.ts";
import type { ContextFields } from "../evaluate/context-fields.ts";
import { listOperator } from "./operator.ts";
import type { Operator } from "./operator.ts";

interface ValueList {
  readonly contextName: string;
  readonly values: readonly string[];
}

/** IN: the field equals one of the values. Always case-sensitive. */
export const inValues: Operator = listOperator(equalsOneOf);

/** NOT_IN: the field is absent or not in the list of values. Always case-sensitive. */
export const notInValues: Operator = listOperator((constraint, fields) =>
  not(equalsOneOf(constraint, fields)),
);

function equalsOneOf({ contextName, values }: ValueList, fields: ContextFields): Condition {
  return values.length > 0 && inList(fields.membership(fields.text(contextName), values));
}
