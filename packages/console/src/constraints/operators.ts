import {
  isListKind,
  isOperatorName,
  type OperatorDescription,
  OPERATORS,
  type ValueKind,
} from "../../../engine/src/constraints/operator-table.ts";
import type { Constraint } from "../api/types.ts";

/** Returns the description of an operator. An unknown one, of a newer service, is shown by its name. */
export function operatorOf(name: string): Required<OperatorDescription> {
  const description: OperatorDescription = isOperatorName(name)
    ? OPERATORS[name]
    : { kind: "strings", phrase: name, negation: `not ${name}` };
  return { supportsCase: false, supportsInversion: true, ...description };
}

/** Whether the operator compares with a list of values instead of one value. */
export function takesList(operator: string): boolean {
  return isListKind(operatorOf(operator).kind);
}

const GROUPS: Readonly<Record<ValueKind, string>> = {
  strings: "Text",
  pattern: "Text",
  number: "Number",
  version: "Version",
  date: "Time",
  addressRanges: "Address",
};

/** Returns the operators to choose from, including the current one even if it is unknown. */
export function operatorChoices(current: string) {
  const known = Object.entries(OPERATORS).map(([id, { phrase, kind }]) => ({
    id,
    label: phrase,
    group: GROUPS[kind],
  }));
  return isOperatorName(current)
    ? known
    : [...known, { id: current, label: current, group: "Other" }];
}

/** The context field that holds the time of an evaluation. */
const TIME_FIELD = "currentTime";

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
