import { Type } from "typebox";
import { closedObject } from "../../http/schemas.ts";

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

export const ConstraintBody = closedObject("constraintSchema", {
  contextName: Type.String({ minLength: 1, maxLength: 100 }),
  operator: Type.Unsafe<Operator>({
    type: "string",
    enum: [...LIST_OPERATORS, ...VALUE_OPERATORS],
  }),
  values: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 100 }))),
  value: Type.Optional(Type.String({ maxLength: 1000 })),
  inverted: Type.Optional(Type.Boolean()),
  caseInsensitive: Type.Optional(Type.Boolean()),
});

export type ConstraintInput = Type.Static<typeof ConstraintBody>;
