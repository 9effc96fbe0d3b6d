import { type Operator, reportUnreadable } from "./operator.ts";

type Comparison = (number: number, operand: number) => boolean;

/** NUM_*: both sides are converted as JavaScript's `Number()` does, so "" is zero. */
export function compareNumbers(compare: Comparison): Operator {
  return (constraint, fields, report) => {
    const operand = Number(constraint.value);
    if (Number.isNaN(operand)) return reportUnreadable(constraint, "a number", report);
    const slot = fields.derived("number", fields.text(constraint.contextName), (text) =>
      text === null ? Number.NaN : Number(text),
    );
    return (request) => compare(request.read(slot), operand);
  };
}
