import { type Operator, reportUnreadable } from "./operator.ts";

type Comparison = (number: number, operand: number) => boolean;

/** NUM_*: both sides are converted as JavaScript's `Number()` does, so "" is zero. */
export const numberEquals: Operator = compareWith((number, operand) => number === operand);
export const numberGreater: Operator = compareWith((number, operand) => number > operand);
export const numberGreaterOrEqual: Operator = compareWith((number, operand) => number >= operand);
export const numberLess: Operator = compareWith((number, operand) => number < operand);
export const numberLessOrEqual: Operator = compareWith((number, operand) => number <= operand);

function compareWith(compare: Comparison): Operator {
  return (constraint, fields, report) => {
    const operand = Number(constraint.value);
    if (Number.isNaN(operand)) return reportUnreadable(constraint, "a number", report);
    const slot = fields.derived("number", fields.text(constraint.contextName), (text) =>
      text === null ? Number.NaN : Number(text),
    );
    return (request) => compare(request.read(slot), operand);
  };
}
