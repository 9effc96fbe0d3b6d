import type { Condition } from "../evaluate/condition.ts";
import type { Constraint } from "../parse/model.ts";
import type { ContextFields } from "../evaluate/context-fields.ts";

/**
 * One constraint operator: turns a constraint into a condition, once per snapshot. Inversion is
 * not its business.
 */
export type Operator = (constraint: Constraint, fields: ContextFields) => Condition;

/** An operator over the `values` of a constraint; without usable values it is never fulfilled. */
export type ListOperator = (
  constraint: Constraint & { readonly values: readonly string[] },
  fields: ContextFields,
) => Condition;
