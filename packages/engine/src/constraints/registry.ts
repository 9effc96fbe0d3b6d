import { isInCidr } from "./cidr.ts";
import { isAfter, isBefore } from "./date.ts";
import { isIn, isNotIn } from "./in-list.ts";
import {
  numberEquals,
  numberGreater,
  numberGreaterOrEqual,
  numberLess,
  numberLessOrEqual,
} from "./number.ts";
import type { Operator } from "./operator.ts";
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
 * The constraint operators by their exact names in documents.
 *
 * To add an operator, write an `Operator` in a file of this folder and add one line here. Use
 * `listOperator()` if it compares with the list `values` of a constraint instead of `value`. Then the tests
 * name the lists of operators elsewhere that lack it.
 */
export const OPERATORS: ReadonlyMap<string, Operator> = new Map([
  ["IN", isIn],
  ["NOT_IN", isNotIn],
  ["STR_STARTS_WITH", startsWith],
  ["STR_ENDS_WITH", endsWith],
  ["STR_CONTAINS", contains],
  ["NUM_EQ", numberEquals],
  ["NUM_GT", numberGreater],
  ["NUM_GTE", numberGreaterOrEqual],
  ["NUM_LT", numberLess],
  ["NUM_LTE", numberLessOrEqual],
  ["DATE_AFTER", isAfter],
  ["DATE_BEFORE", isBefore],
  ["SEMVER_EQ", versionEquals],
  ["SEMVER_GT", versionGreater],
  ["SEMVER_GTE", versionGreaterOrEqual],
  ["SEMVER_LT", versionLess],
  ["SEMVER_LTE", versionLessOrEqual],
  ["REGEX", matchesPattern],
  ["IN_CIDR", isInCidr],
]);

/** The names of the operators. */
export const OPERATOR_NAMES: readonly string[] = [...OPERATORS.keys()];
