import { toEpochMs } from "../evaluate/context-fields.ts";
import { type Operator, reportUnreadable } from "./operator.ts";

type Comparison = (timeMs: number, operandMs: number) => boolean;

/** DATE_AFTER, DATE_BEFORE: compare with the current time, whichever field the constraint names. */
export function compareWithCurrentTime(compare: Comparison): Operator {
  return (constraint, fields, report) => {
    const operandMs = toEpochMs(constraint.value);
    if (Number.isNaN(operandMs)) return reportUnreadable(constraint, "a time", report);
    const slot = fields.currentTimeMs();
    return (request) => compare(request.read(slot), operandMs);
  };
}
