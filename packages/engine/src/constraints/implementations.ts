import { inCidr } from "./ip-address.ts";
import { compareWithCurrentTime } from "./date.ts";
import { inValues, notInValues } from "./in-list.ts";
import { compareNumbers } from "./number.ts";
import type { Operator } from "./operator.ts";
import type { OperatorName } from "./operator-table.ts";
import { matchesPattern } from "./regex.ts";
import { compareVersions } from "./semver.ts";
import { compareTexts } from "./text.ts";

/**
 * The implementations of the operators in `operator-table.ts`. Those that compare with the list `values` of a
 * constraint are created by `listOperator()`.
 */
export const IMPLEMENTATIONS: Readonly<Record<OperatorName, Operator>> = {
  IN: inValues,
  NOT_IN: notInValues,
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
