/** What the value of a constraint has to be. */
export type ValueKind = "list" | "ranges" | "number" | "date" | "version" | "pattern";

interface OperatorDescription {
  readonly group: "Text" | "Number" | "Version" | "Time" | "Address";
  /** How a condition reads, between the context field and the value. */
  readonly phrase: string;
  /** How its opposite reads. */
  readonly negation: string;
  readonly kind: ValueKind;
  /** Whether the constraint can ignore the case of letters. */
  readonly supportsCase: boolean;
  /** Whether the service accepts that the condition is inverted. */
  readonly supportsInversion: boolean;
}

const TEXT = { group: "Text", kind: "list", supportsCase: true, supportsInversion: true } as const;
const EXACT = { ...TEXT, supportsCase: false } as const;
const NUMBER = { ...EXACT, group: "Number", kind: "number" } as const;
const VERSION = { ...EXACT, group: "Version", kind: "version" } as const;
const TIME = { ...EXACT, group: "Time", kind: "date" } as const;

/** The operators of constraints, in the order in which the console offers them. */
export const OPERATORS: Readonly<Record<string, OperatorDescription>> = {
  IN: { ...EXACT, phrase: "is one of", negation: "is not one of" },
  NOT_IN: { ...EXACT, phrase: "is not one of", negation: "is one of" },
  STR_CONTAINS: { ...TEXT, phrase: "contains", negation: "does not contain" },
  STR_STARTS_WITH: { ...TEXT, phrase: "starts with", negation: "does not start with" },
  STR_ENDS_WITH: { ...TEXT, phrase: "ends with", negation: "does not end with" },
  REGEX: {
    ...TEXT,
    kind: "pattern",
    supportsInversion: false,
    phrase: "matches the pattern",
    negation: "does not match the pattern",
  },
  NUM_EQ: { ...NUMBER, phrase: "is the number", negation: "is not the number" },
  NUM_GT: { ...NUMBER, phrase: "is greater than", negation: "is not greater than" },
  NUM_GTE: { ...NUMBER, phrase: "is at least", negation: "is not at least" },
  NUM_LT: { ...NUMBER, phrase: "is less than", negation: "is not less than" },
  NUM_LTE: { ...NUMBER, phrase: "is at most", negation: "is not at most" },
  SEMVER_EQ: { ...VERSION, phrase: "is version", negation: "is not version" },
  SEMVER_GT: { ...VERSION, phrase: "is later than version", negation: "is not later than version" },
  SEMVER_GTE: { ...VERSION, phrase: "is at least version", negation: "is not at least version" },
  SEMVER_LT: {
    ...VERSION,
    phrase: "is earlier than version",
    negation: "is not earlier than version",
  },
  SEMVER_LTE: { ...VERSION, phrase: "is at most version", negation: "is not at most version" },
  DATE_AFTER: { ...TIME, phrase: "is after", negation: "is not after" },
  DATE_BEFORE: { ...TIME, phrase: "is before", negation: "is not before" },
  IN_CIDR: {
    ...EXACT,
    group: "Address",
    kind: "ranges",
    phrase: "is an IP address in",
    negation: "is not an IP address in",
  },
};

/** Returns the description of an operator. An unknown one, of a newer service, is shown by its name. */
export function operatorOf(operator: string): OperatorDescription {
  return OPERATORS[operator] ?? { ...EXACT, phrase: operator, negation: `not ${operator}` };
}

/** Whether the operator compares with a list of values instead of one value. */
export function takesList(operator: string): boolean {
  const { kind } = operatorOf(operator);
  return kind === "list" || kind === "ranges";
}

/** The context field that holds the time of an evaluation. */
export const TIME_FIELD = "currentTime";
