import { RE2JS } from "re2js";
import parseVersion from "semver/functions/parse.js";
import { badData, exceedsLimit } from "../../errors.ts";
import { LIMITS } from "../../limits.ts";
import type { StoredConstraint } from "../../storage/schema/constraint.ts";
import type { LegalValuesOf } from "../context-fields/legal-values.ts";
import { type ConstraintInput, isListOperator, type ValueOperator } from "./schemas.ts";

interface CheckOptions {
  readonly legalValuesOf: LegalValuesOf;
  /** Path of the constraints in the request, such as `/body/constraints`. */
  readonly path: string;
  /** Previous number of constraints. A list that exceeds the limit must not grow. @default 0 */
  readonly previousCount?: number;
}

/**
 * Converts constraints to the form in which they are stored.
 *
 * @throws {ApiError} if there are too many constraints, or one of them is invalid or uses a value
 *   that is not legal for its context field
 */
export function checkConstraints(
  constraints: readonly ConstraintInput[],
  { legalValuesOf, path, previousCount = 0 }: CheckOptions,
): readonly StoredConstraint[] {
  const limit = Math.max(LIMITS.constraintsPerStrategy, previousCount);
  if (constraints.length > limit) throw exceedsLimit("constraints in a list", limit);
  return constraints.map((constraint, index) => {
    const legalValues = legalValuesOf(constraint.contextName);
    if (legalValues === undefined) {
      throw badData(`${path}/${index}/contextName`, "is a context field of another project");
    }
    return checkConstraint(constraint, { legalValues, path: `${path}/${index}` });
  });
}

interface ConstraintOptions {
  readonly legalValues: readonly string[];
  readonly path: string;
}

export function checkConstraint(
  constraint: ConstraintInput,
  { legalValues, path }: ConstraintOptions,
): StoredConstraint {
  const { contextName, operator, value, values = [] } = constraint;
  if (isListOperator(operator)) checkValues(values, { legalValues, path });
  else checkValue({ operator, value, inverted: constraint.inverted }, { legalValues, path });
  return {
    contextName,
    operator,
    values,
    ...(value !== undefined && value !== "" && { value }),
    inverted: constraint.inverted ?? false,
    caseInsensitive: constraint.caseInsensitive ?? false,
  };
}

function checkValues(values: readonly string[], { legalValues, path }: ConstraintOptions): void {
  if (values.length === 0) throw badData(`${path}/values`, "must contain at least one value");
  if (values.length > LIMITS.valuesPerConstraint) {
    throw exceedsLimit("values in a constraint", LIMITS.valuesPerConstraint);
  }
  for (const [index, value] of values.entries()) {
    checkLegal(value, { legalValues, path: `${path}/values/${index}` });
  }
}

interface SingleValue {
  readonly operator: ValueOperator;
  readonly value: string | undefined;
  readonly inverted: boolean | undefined;
}

function checkValue(
  { operator, value, inverted }: SingleValue,
  { legalValues, path }: ConstraintOptions,
): void {
  if (value === undefined || value.trim() === "") {
    throw badData(`${path}/value`, "must be set: the operator requires it");
  }
  const { accepts, expectation } = TYPE_BY_OPERATOR[operator];
  if (!accepts(value)) throw badData(`${path}/value`, expectation);
  if (operator === "REGEX" && inverted === true) {
    throw badData(`${path}/inverted`, "must not be true for REGEX");
  }
  checkLegal(value, { legalValues, path: `${path}/value` });
}

interface ValueType {
  readonly accepts: (text: string) => boolean;
  readonly expectation: string;
}

const TIME: ValueType = {
  accepts: (text) => !Number.isNaN(Date.parse(text)),
  expectation: "must be a date and time, such as 2026-01-31T12:00:00Z",
};
const NUMBER: ValueType = {
  accepts: (text) => !Number.isNaN(Number(text)),
  expectation: "must be a number",
};
const VERSION: ValueType = {
  accepts: isVersion,
  expectation: "must be a version, such as 1.2.3 or 1.2.3-beta.1",
};
const PATTERN: ValueType = {
  accepts: isPattern,
  expectation: "must be a regular expression in RE2 syntax",
};

const TYPE_BY_OPERATOR: Readonly<Record<ValueOperator, ValueType>> = {
  DATE_AFTER: TIME,
  DATE_BEFORE: TIME,
  NUM_EQ: NUMBER,
  NUM_GT: NUMBER,
  NUM_GTE: NUMBER,
  NUM_LT: NUMBER,
  NUM_LTE: NUMBER,
  REGEX: PATTERN,
  SEMVER_EQ: VERSION,
  SEMVER_GT: VERSION,
  SEMVER_GTE: VERSION,
  SEMVER_LT: VERSION,
  SEMVER_LTE: VERSION,
};

function isVersion(text: string): boolean {
  return /^\d/.test(text) && text === text.trim() && parseVersion(text) !== null;
}

function isPattern(text: string): boolean {
  try {
    RE2JS.compile(text);
    return true;
  } catch {
    return false;
  }
}

function checkLegal(value: string, { legalValues, path }: ConstraintOptions): void {
  if (legalValues.length === 0 || legalValues.includes(value)) return;
  throw badData(path, `is not a legal value of the context field: ${JSON.stringify(value)}`);
}
