import { inCidr } from "./ip-address.ts";
import { dateAfter, dateBefore } from "./date.ts";
import { inValues, notInValues } from "./in-list.ts";
import {
  numberEquals,
  numberGreater,
  numberGreaterOrEqual,
  numberLess,
  numberLessOrEqual,
} from "./number.ts";
import type { Operator } from "./operator.ts";
import type { OperatorName } from "./operator-table.ts";
import { matchesPattern } from "./regex.ts";
import {
  versionEquals,
  versionGreater,
  versionGreaterOrEqual,
  versionLess,
  versionLessOrEqual,
} from "./semver.ts";
import { contains, endsWith, startsWith } from "./text.ts";

/**
 * The implementations of the operators in `operator-table.ts`. Those that compare with the list `values` of a
 * constraint are created by `listOperator()`.
 */
export const IMPLEMENTATIONS: Readonly<Record<OperatorName, Operator>> = {
  IN: inValues,
  NOT_IN: notInValues,
  STR_STARTS_WITH: startsWith,
  STR_ENDS_WITH: endsWith,
  STR_CONTAINS: contains,
  NUM_EQ: numberEquals,
  NUM_GT: numberGreater,
  NUM_GTE: numberGreaterOrEqual,
  NUM_LT: numberLess,
  NUM_LTE: numberLessOrEqual,
  DATE_AFTER: dateAfter,
  DATE_BEFORE: dateBefore,
  SEMVER_EQ: versionEquals,
  SEMVER_GT: versionGreater,
  SEMVER_GTE: versionGreaterOrEqual,
  SEMVER_LT: versionLess,
  SEMVER_LTE: versionLessOrEqual,
  REGEX: matchesPattern,
  IN_CIDR: inCidr,
};
