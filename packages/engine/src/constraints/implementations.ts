import parse from "semver/functions/parse.js";
import { inList, not } from "../evaluate/condition.ts";
import type { Condition } from "../evaluate/condition.ts";
import { toEpochMs } from "../evaluate/context-fields.ts";
import type { ContextFields } from "../evaluate/context-fields.ts";
import { inCidr } from "./ip-address.ts";
import { listOperator, reportUnreadable } from "./operator.ts";
import type { ListConstraint, Operator } from "./operator.ts";
import type { OperatorName } from "./operator-table.ts";
import { matchesPattern } from "./regex.ts";

/** The implementations of the operators in `operator-table.ts`. */
export const IMPLEMENTATIONS: Readonly<Record<OperatorName, Operator>> = {
  IN: listOperator(equalsOneOf),
  NOT_IN: listOperator((constraint, fields) => not(equalsOneOf(constraint, fields))),
  STR_STARTS_WITH: compareTexts((text, value) => text.startsWith(value)),
  STR_ENDS_WITH: compareTexts((text, value) => text.endsWith(value)),
  STR_CONTAINS: compareTexts((text, value) => text.includes(value)),
  NUM_EQ: compareNumbers((number, operand) => number === operand),
  NUM_GT: compareNumbers((number, operand) => number > operand),
  NUM_GTE: compareNumbers((number, operand) => number >= operand),
  NUM_LT: compareNumbers((number, operand) => number < operand),
  NUM_LTE: compareNumbers((number, operand) => number <= operand),
  DATE_AFTER: compareWithCurrentTime((timeMs, operandMs) => timeMs > operandMs),
  DATE_BEFORE: compareWithCurrentTime((timeMs, operandMs) => timeMs < operandMs),
  SEMVER_EQ: compareVersions((order) => order === 0),
  SEMVER_GT: compareVersions((order) => order > 0),
  SEMVER_GTE: compareVersions((order) => order >= 0),
  SEMVER_LT: compareVersions((order) => order < 0),
  SEMVER_LTE: compareVersions((order) => order <= 0),
  REGEX: matchesPattern,
  IN_CIDR: inCidr,
};

function equalsOneOf({ contextName, values }: ListConstraint, fields: ContextFields): Condition {
  return values.length > 0 && inList(fields.membership(fields.text(contextName), values));
}

function compareTexts(compare: (text: string, value: string) => boolean): Operator {
  return listOperator(({ contextName, values, caseInsensitive }, fields) => {
    if (values.length === 0) return false;
    const text = fields.text(contextName);
    const slot = caseInsensitive
      ? fields.derived("lower-case", text, (original) => original?.toLowerCase() ?? null)
      : text;
    // Every text starts with, ends with and contains the empty text.
    if (values.includes("")) return (request) => request.read(slot) !== null;
    const wanted = caseInsensitive ? values.map((value) => value.toLowerCase()) : values;
    return (request) => {
      const actual = request.read(slot);
      return actual !== null && wanted.some((value) => compare(actual, value));
    };
  });
}

/** Compares numbers. Both sides are converted as JavaScript's `Number()` does, so "" is zero. */
function compareNumbers(compare: (number: number, operand: number) => boolean): Operator {
  return (constraint, fields, report) => {
    const operand = Number(constraint.value);
    if (Number.isNaN(operand)) return reportUnreadable(constraint, "a number", report);
    const slot = fields.derived("number", fields.text(constraint.contextName), (text) =>
      text === null ? Number.NaN : Number(text),
    );
    return (request) => compare(request.read(slot), operand);
  };
}

/** Compares with the current time, whichever field the constraint names. */
function compareWithCurrentTime(compare: (timeMs: number, operandMs: number) => boolean): Operator {
  return (constraint, fields, report) => {
    const operandMs = toEpochMs(constraint.value);
    if (Number.isNaN(operandMs)) return reportUnreadable(constraint, "a time", report);
    const slot = fields.currentTimeMs();
    return (request) => compare(request.read(slot), operandMs);
  };
}

/** Compares the precedence of versions as defined by semver.org, which ignores build metadata. */
function compareVersions(accepts: (order: -1 | 0 | 1) => boolean): Operator {
  return (constraint, fields, report) => {
    const { contextName, value } = constraint;
    const operand = typeof value === "string" ? parse(value) : null;
    if (operand === null) return reportUnreadable(constraint, "a version such as 1.2.3", report);
    // NOTE: unlike constraints, contexts may not use the form `v1.2.3`.
    const slot = fields.derived("version", fields.text(contextName), (text) =>
      text === null || text.startsWith("v") ? null : parse(text),
    );
    return (request) => {
      const version = request.read(slot);
      return version !== null && accepts(version.compare(operand));
    };
  };
}
