import { toEpochMs } from "../evaluate/context-fields.ts";
import type { Operator } from "./operator.ts";

/** DATE_AFTER: the moment of the request is later than the value, whatever field is named. */
export const isAfter: Operator = ({ value }, fields) => {
  const operandMs = toEpochMs(value);
  if (Number.isNaN(operandMs)) return false;
  const slot = fields.currentTimeMs();
  return (request) => request.read(slot) > operandMs;
};

/** DATE_BEFORE: the moment of the request is earlier than the value, whatever field is named. */
export const isBefore: Operator = ({ value }, fields) => {
  const operandMs = toEpochMs(value);
  if (Number.isNaN(operandMs)) return false;
  const slot = fields.currentTimeMs();
  return (request) => request.read(slot) < operandMs;
};
