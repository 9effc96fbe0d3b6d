import {
  isAddressOrRange,
  isListKind,
  isOperatorName,
  type OperatorName,
  OPERATORS,
  type ValueKind,
} from "flags-engine";
import parseVersion from "semver/functions/parse.js";
import { Type } from "typebox";
import { ApiError, badData, exceedsLimit } from "../../errors.ts";
import { closedObject } from "../../http/schemas.ts";
import { LIMITS } from "../../limits.ts";
import type { StoredConstraint } from "../../storage/schema/json-values.ts";
import type { LegalValuesOf } from "../context-fields/legal-values.ts";
import { breaksQuotes, isDecimal, toStoredValue, toTime } from "../sdk-compatibility.ts";
import { checkTotalSize, CheckCache } from "./check-cache.ts";
import { PATTERN_RULE } from "../compile-pattern.ts";

/** Null stands for false: some tools send it. */
const OptionalFlag = Type.Optional(Type.Unsafe<boolean | null>({ type: ["boolean", "null"] }));

/** Body of a constraint in requests. */
export const ConstraintBody = closedObject("constraintSchema", {
  contextName: Type.String({ minLength: 1, maxLength: 100 }),
  operator: Type.Unsafe<OperatorName>({ type: "string", enum: Object.keys(OPERATORS) }),
  values: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 100 }))),
  value: Type.Optional(Type.String({ maxLength: 1000 })),
  inverted: OptionalFlag,
  caseInsensitive: OptionalFlag,
});

export type ConstraintInput = Type.Static<typeof ConstraintBody>;

interface CheckOptions {
  readonly legalValuesOf: LegalValuesOf;
  /** Path of the constraints in the request, such as `/body/constraints`. */
  readonly path: string;
  /**
   * The stored constraints. Their values were valid when they were stored, and stay acceptable; a list that
   * exceeds the limit must not grow. @default none
   */
  readonly previous?: readonly StoredConstraint[] | undefined;
  /** Whether lists can have as many values as a segment, if the operator allows that. @default false */
  readonly allowsLongLists?: boolean;
  /** Shared by all lists in the request. @default new checks */
  readonly checks?: CheckCache;
}

/**
 * Converts constraints to the form in which they are stored.
 *
 * @throws {ApiError} if there are too many constraints, or one of them is invalid or uses a value
 *   that is not legal for its context field
 */
export function checkConstraints(
  constraints: readonly ConstraintInput[],
  {
    legalValuesOf,
    path,
    previous = [],
    allowsLongLists = false,
    checks = new CheckCache(),
  }: CheckOptions,
): readonly StoredConstraint[] {
  const limit = Math.max(LIMITS.constraintsPerStrategy, previous.length);
  if (constraints.length > limit) throw exceedsLimit("constraints in a list", limit);
  checkPatternSize(constraints, previous);
  return constraints.map((constraint, index) => {
    const legalValues = legalValuesOf(constraint.contextName);
    if (legalValues === undefined) {
      throw badData(`${path}/${index}/contextName`, "is a context field of another project");
    }
    return checkConstraint(constraint, {
      legalValues,
      path: `${path}/${index}`,
      previous,
      allowsLongLists,
      checks,
    });
  });
}

/** Patterns that are stored stay acceptable, but must not be joined by others. */
function checkPatternSize(
  constraints: readonly ConstraintInput[],
  previous: readonly StoredConstraint[],
): void {
  const patterns = patternsOf(constraints);
  const stored = patternsOf(previous);
  if ([...patterns].every((pattern) => stored.has(pattern))) return;
  checkTotalSize(patterns, "a list of constraints", LIMITS.patternSizePerList);
}

/** Returns the different patterns of constraints. */
export function patternsOf(
  constraints: readonly Pick<StoredConstraint, "operator" | "value">[],
): Set<string> {
  const withPattern = constraints.filter(
    ({ operator }) => isOperatorName(operator) && OPERATORS[operator].kind === "pattern",
  );
  return new Set(withPattern.map(({ value = "" }) => value));
}

interface ConstraintOptions extends Pick<
  CheckOptions,
  "allowsLongLists" | "checks" | "path" | "previous"
> {
  readonly legalValues: ReadonlySet<string>;
}

export function checkConstraint(
  constraint: ConstraintInput,
  options: ConstraintOptions,
): StoredConstraint {
  const { contextName, operator, values = [] } = constraint;
  const inverted = constraint.inverted ?? false;
  const value = toStoredValue(operator, constraint.value ?? "");
  checkContextName(contextName, options);
  const { kind, supportsInversion = true } = OPERATORS[operator];
  if (isListKind(kind)) checkValues(operator, values, options);
  else checkValue(operator, value, options);
  if (inverted && !supportsInversion) {
    throw badData(`${options.path}/inverted`, `must not be true for ${operator}`);
  }
  return {
    contextName,
    operator,
    values,
    ...(value !== "" && { value }),
    inverted,
    caseInsensitive: constraint.caseInsensitive ?? false,
  };
}

function checkContextName(
  name: string,
  { path, previous = [] }: Pick<ConstraintOptions, "path" | "previous">,
): void {
  if (!breaksQuotes(name) || previous.some(({ contextName }) => contextName === name)) return;
  throw badData(
    `${path}/contextName`,
    'must not contain " or end with \\, which some SDKs cannot read',
  );
}

function checkValues(
  operator: OperatorName,
  values: readonly string[],
  options: ConstraintOptions,
): void {
  const { legalValues, path, previous = [], checks = new CheckCache() } = options;
  if (values.length === 0) throw badData(`${path}/values`, "must contain at least one value");
  checkLength(operator, values, options);
  const { accepts, expectation } = VALUE_TYPES[OPERATORS[operator].kind];
  const stored = new Set(
    previous.filter((one) => one.operator === operator).flatMap((one) => one.values),
  );
  for (const [index, value] of values.entries()) {
    if (!accepts(value, checks) && !stored.has(value)) {
      throw badData(`${path}/values/${index}`, expectation);
    }
    checkLegal(value, { legalValues, path: `${path}/values/${index}` });
  }
}

/** Those that look a value up, so that a list of any length is as fast as a short one. */
const OPERATORS_WITH_LONG_LISTS: ReadonlySet<OperatorName> = new Set(["IN", "NOT_IN"]);

function checkLength(
  operator: OperatorName,
  { length }: readonly string[],
  { allowsLongLists = false }: Pick<ConstraintOptions, "allowsLongLists">,
): void {
  const canBeLong = allowsLongLists && OPERATORS_WITH_LONG_LISTS.has(operator);
  const limit = canBeLong ? LIMITS.valuesPerSegment : LIMITS.valuesPerConstraint;
  if (length <= limit) return;
  const hint =
    limit < LIMITS.valuesPerSegment
      ? `: put the list into a segment, where ${[...OPERATORS_WITH_LONG_LISTS].join(" and ")} accept ${LIMITS.valuesPerSegment}`
      : "";
  throw new ApiError(
    "ExceedsLimitError",
    `A list with the operator ${operator} can have at most ${limit} values, and this one has ${length}${hint}`,
  );
}

function checkValue(
  operator: OperatorName,
  value: string,
  { legalValues, path, previous = [], checks = new CheckCache() }: ConstraintOptions,
): void {
  if (value.trim() === "") {
    throw badData(`${path}/value`, "must be set: the operator requires it");
  }
  const { accepts, expectation } = VALUE_TYPES[OPERATORS[operator].kind];
  const isStored = previous.some((one) => one.operator === operator && one.value === value);
  if (!isStored && !accepts(value, checks)) throw badData(`${path}/value`, expectation);
  if (checks.inStoredForm(legalValues, operator).has(value)) return;
  checkLegal(value, { legalValues, path: `${path}/value` });
}

interface ValueType {
  readonly accepts: (text: string, checks: CheckCache) => boolean;
  readonly expectation: string;
}

// NOTE: JavaScript reads more forms of times and numbers than other languages, and an SDK that cannot read a
// value ignores the constraint or never satisfies it.
const VALUE_TYPES: Readonly<Record<ValueKind, ValueType>> = {
  strings: {
    accepts: (text) => !text.endsWith("\\"),
    expectation: "must not end with \\, which some SDKs cannot read",
  },
  addressRanges: {
    accepts: isAddressOrRange,
    expectation: "must be an IP address or range, such as 192.168.1.7, 10.0.0.0/8 or 2001:db8::/32",
  },
  number: {
    accepts: isDecimal,
    expectation: "must be a decimal number, such as 5, -0.25 or 1e6",
  },
  version: {
    accepts: isVersion,
    expectation: "must be a version, such as 1.2.3 or 1.2.3-beta.1",
  },
  date: {
    accepts: (text) => toTime(text) !== undefined,
    expectation:
      "must be an existing date, or a date and time with seconds and time zone, such as 2026-01-31 or 2026-01-31T12:00:00Z",
  },
  pattern: {
    accepts: (text, checks) => checks.isPattern(text),
    expectation: PATTERN_RULE,
  },
};

function isVersion(text: string): boolean {
  return /^\d/.test(text) && text === text.trim() && parseVersion(text) !== null;
}

function checkLegal(value: string, { legalValues, path }: ConstraintOptions): void {
  if (legalValues.size === 0 || legalValues.has(value)) return;
  throw badData(path, `is not an allowed value of the context field: ${JSON.stringify(value)}`);
}
