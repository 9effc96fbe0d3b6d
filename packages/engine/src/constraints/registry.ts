import { isInCidr } from "./cidr.ts";
import { isAfter, isBefore } from "./date.ts";
import { isIn, isNotIn } from "./membership.ts";
import {
  numberEquals,
  numberGreater,
  numberGreaterOrEqual,
  numberLess,
  numberLessOrEqual,
} from "./number.ts";
import type { ListOperator, Operator } from "./operator.ts";
import { matchesPattern } from "./regex.ts";
import {
  versionEquals,
  versionGreater,
  versionGreaterOrEqual,
  versionLess,
  versionLessOrEqual,
} from "./semver.ts";
import { contains, endsWith, startsWith } from "./text.ts";

/** Operators that compare with the one `value` of a constraint, by exact name. */
export const VALUE_OPERATORS: ReadonlyMap<string, Operator> = new Map([
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
]);

/** Operators over the list of `values` of a constraint, by exact name. */
export const LIST_OPERATORS: ReadonlyMap<string, ListOperator> = new Map([
  ["IN", isIn],
  ["NOT_IN", isNotIn],
  ["STR_STARTS_WITH", startsWith],
  ["STR_ENDS_WITH", endsWith],
  ["STR_CONTAINS", contains],
  ["IN_CIDR", isInCidr],
]);
