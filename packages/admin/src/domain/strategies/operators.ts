/** Operators that compare with a list of values. */
export const LIST_OPERATORS = [
  "IN",
  "NOT_IN",
  "STR_CONTAINS",
  "STR_ENDS_WITH",
  "STR_STARTS_WITH",
  "IN_CIDR",
] as const;

/** Operators that compare with one value. */
export const VALUE_OPERATORS = [
  "DATE_AFTER",
  "DATE_BEFORE",
  "NUM_EQ",
  "NUM_GT",
  "NUM_GTE",
  "NUM_LT",
  "NUM_LTE",
  "REGEX",
  "SEMVER_EQ",
  "SEMVER_GT",
  "SEMVER_GTE",
  "SEMVER_LT",
  "SEMVER_LTE",
] as const;

export type ListOperator = (typeof LIST_OPERATORS)[number];
export type ValueOperator = (typeof VALUE_OPERATORS)[number];
export type Operator = ListOperator | ValueOperator;

const LIST_OPERATOR_NAMES: ReadonlySet<string> = new Set(LIST_OPERATORS);

export function isListOperator(operator: Operator): operator is ListOperator {
  return LIST_OPERATOR_NAMES.has(operator);
}
