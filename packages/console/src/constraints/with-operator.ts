import type { Constraint } from "../api/types.ts";
import { operatorOf, takesList, TIME_FIELD } from "./operators.ts";

/** Returns the constraint with another operator, and without what that does not support. */
export function withOperator(constraint: Constraint, operator: string): Constraint {
  const { kind, supportsCase, supportsInversion } = operatorOf(operator);
  const contextName =
    kind === "date" && constraint.contextName === "" ? TIME_FIELD : constraint.contextName;
  const kept = convertValues(constraint, operator);
  return {
    contextName,
    operator,
    ...(takesList(operator) ? { values: kept } : { values: [], value: kept[0] ?? "" }),
    inverted: supportsInversion && constraint.inverted,
    caseInsensitive: supportsCase && constraint.caseInsensitive,
  };
}

/** A time is never a useful value of another operator, nor the other way round. */
function convertValues(constraint: Constraint, operator: string): readonly string[] {
  const { values, value = "" } = constraint;
  const isTime = operatorOf(operator).kind === "date";
  if (isTime !== (operatorOf(constraint.operator).kind === "date")) return [];
  if (takesList(constraint.operator)) return values;
  return value === "" ? [] : [value];
}

/** Returns the constraint with another context field. An empty constraint on the time compares times. */
export function withField(constraint: Constraint, contextName: string): Constraint {
  const changed = { ...constraint, contextName };
  const isEmpty = constraint.operator === "IN" && constraint.values.length === 0;
  return contextName === TIME_FIELD && isEmpty ? withOperator(changed, "DATE_AFTER") : changed;
}
