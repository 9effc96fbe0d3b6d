import { toEpochMs } from "../evaluate/context-fields.ts";
import type { Operator } from "./operator.ts";

type Comparison = (timeMs: number, operandMs: number) => boolean;

/** DATE_AFTER, DATE_BEFORE: compare with the current time, whichever field the constraint names. */
export const isAfter: Operator = compareWith((timeMs, operandMs) => timeMs > operandMs);
export const isBefore: Operator = compareWith((timeMs, operandMs) => timeMs < operandMs);

function compareWith(compare: Comparison): Operator {
  return ({ value }, fields) => {
    const operandMs = toEpochMs(value);
    if (Number.isNaN(operandMs)) return false;
    const slot = fields.currentTimeMs();
    return (request) => compare(request.read(slot), operandMs);
  };
}
