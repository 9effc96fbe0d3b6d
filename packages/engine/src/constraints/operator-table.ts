/**
 * What an operator compares with. `strings` and `addressRanges` are the list `values` of a constraint; the other kinds
 * are its single `value`.
 */
export type ValueKind = "strings" | "addressRanges" | "number" | "version" | "date" | "pattern";

export interface OperatorDescription {
  readonly kind: ValueKind;
  /** How a condition reads, between the context field and the value. */
  readonly phrase: string;
  readonly negation: string;
  /** Whether a constraint can ignore the case of letters. @default false */
  readonly supportsCase?: boolean;
  /** Whether the service accepts that a constraint is inverted. Evaluation inverts every operator. @default true */
  readonly supportsInversion?: boolean;
}

export type OperatorName =
  | "IN"
  | "NOT_IN"
  | "STR_CONTAINS"
  | "STR_STARTS_WITH"
  | "STR_ENDS_WITH"
  | "REGEX"
  | "NUM_EQ"
  | "NUM_GT"
  | "NUM_GTE"
  | "NUM_LT"
  | "NUM_LTE"
  | "SEMVER_EQ"
  | "SEMVER_GT"
  | "SEMVER_GTE"
  | "SEMVER_LT"
  | "SEMVER_LTE"
  | "DATE_AFTER"
  | "DATE_BEFORE"
  | "IN_CIDR";

/**
 * The constraint operators by their exact names in documents, in the order in which the console offers them.
 *
 * To add an operator:
 *
 * 1. Describe it here, and name its implementation in `implementations.ts`. `flags-admin`, the console, explanations
 *    and the comparison with the official SDK read this table. If the operator needs a new kind of value, the type
 *    checker names what else to write.
 * 2. If the official SDK does not have the operator, write a decision record, and exclude the operator from
 *    `OPERATOR_NAMES` in `engine/test/_random-constraint.ts`: otherwise the comparison with the SDK fails.
 * 3. Test it next to its implementation, and add it to the table in `docs/background/concepts.md`.
 *
 * NOTE: the console bundles this file, so it imports nothing.
 */
export const OPERATORS: Readonly<Record<OperatorName, OperatorDescription>> = {
  IN: { kind: "strings", phrase: "is one of", negation: "is not one of" },
  NOT_IN: { kind: "strings", phrase: "is not one of", negation: "is one of" },
  STR_CONTAINS: {
    kind: "strings",
    supportsCase: true,
    phrase: "contains",
    negation: "does not contain",
  },
  STR_STARTS_WITH: {
    kind: "strings",
    supportsCase: true,
    phrase: "starts with",
    negation: "does not start with",
  },
  STR_ENDS_WITH: {
    kind: "strings",
    supportsCase: true,
    phrase: "ends with",
    negation: "does not end with",
  },
  REGEX: {
    kind: "pattern",
    supportsCase: true,
    supportsInversion: false,
    phrase: "matches the pattern",
    negation: "does not match the pattern",
  },
  NUM_EQ: { kind: "number", phrase: "is the number", negation: "is not the number" },
  NUM_GT: { kind: "number", phrase: "is greater than", negation: "is not greater than" },
  NUM_GTE: { kind: "number", phrase: "is at least", negation: "is not at least" },
  NUM_LT: { kind: "number", phrase: "is less than", negation: "is not less than" },
  NUM_LTE: { kind: "number", phrase: "is at most", negation: "is not at most" },
  SEMVER_EQ: { kind: "version", phrase: "is version", negation: "is not version" },
  SEMVER_GT: {
    kind: "version",
    phrase: "is later than version",
    negation: "is not later than version",
  },
  SEMVER_GTE: {
    kind: "version",
    phrase: "is at least version",
    negation: "is not at least version",
  },
  SEMVER_LT: {
    kind: "version",
    phrase: "is earlier than version",
    negation: "is not earlier than version",
  },
  SEMVER_LTE: {
    kind: "version",
    phrase: "is at most version",
    negation: "is not at most version",
  },
  DATE_AFTER: { kind: "date", phrase: "is after", negation: "is not after" },
  DATE_BEFORE: { kind: "date", phrase: "is before", negation: "is not before" },
  IN_CIDR: {
    kind: "addressRanges",
    phrase: "is an IP address in",
    negation: "is not an IP address in",
  },
};

export function isOperatorName(name: string): name is OperatorName {
  return Object.hasOwn(OPERATORS, name);
}

export function isListKind(kind: ValueKind): kind is "strings" | "addressRanges" {
  return kind === "strings" || kind === "addressRanges";
}
