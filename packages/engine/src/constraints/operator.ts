import type { RE2JS } from "re2js";
import type { Condition } from "../evaluate/condition.ts";
import type { ContextFields } from "../evaluate/context-fields.ts";
import type { Report } from "../parse/diagnostics.ts";
import type { Constraint } from "../parse/model.ts";

/** The compiled patterns of a snapshot, undefined if invalid. Equal ones are compiled once. */
export type Patterns = Map<string, RE2JS | undefined>;

/**
 * A constraint operator. Compiles a constraint to a condition, once per snapshot.
 *
 * Operators ignore `inverted`, since `compileConstraint()` inverts the condition. An operator
 * returns undefined, after a report, for a constraint that must never be satisfied, even inverted.
 */
export type Operator = (
  constraint: Constraint,
  fields: ContextFields,
  report: Report,
  patterns: Patterns,
) => Condition | undefined;

export type ListConstraint = Constraint & { readonly values: readonly string[] };

/** Creates an operator on the list `values`. A constraint without such a list is malformed. */
export function listOperator(
  compile: (constraint: ListConstraint, fields: ContextFields) => Condition,
): Operator {
  return (constraint, fields, report) => {
    const { operator, values } = constraint;
    if (values !== undefined) return compile({ ...constraint, values }, fields);
    report(`values of ${operator} must be a list of strings: the constraint is never satisfied`);
    return undefined;
  };
}

/** Reports a `value` that its operator cannot read. Returns the condition: such a value satisfies nothing. */
export function reportUnreadable(
  { operator, inverted }: Constraint,
  allowed: string,
  report: Report,
): Condition {
  const effect = inverted ? "always" : "never";
  report(`value of ${operator} must be ${allowed}: the constraint is ${effect} satisfied`);
  return false;
}
