import { OPERATORS } from "../src/constraints/operator-table.ts";
import type { OperatorName, ValueKind } from "../src/constraints/operator-table.ts";
import {
  ADDRESSES,
  ALL_FIELDS,
  FIELDS,
  MOMENTS,
  NUMBERS,
  ODD_ADDRESSES,
  ODD_MOMENTS,
  ODD_NUMBERS,
  ODD_PATTERNS,
  ODD_VERSIONS,
  PATTERNS,
  PLANS,
  RANGES,
  REGIONS,
  SESSION_IDS,
  TEXTS,
  USER_IDS,
  VERSIONS,
} from "./_random-values.ts";
import type { Choices } from "./_random.ts";

export type Json = Record<string, unknown>;

export const OPERATOR_NAMES = Object.keys(OPERATORS) as readonly OperatorName[];

/** Chosen twice as often, so that enough contexts satisfy them. */
const RARELY_SATISFIED: readonly OperatorName[] = ["NUM_EQ", "SEMVER_EQ", "STR_ENDS_WITH"];

const UNKNOWN_OPERATORS = ["in", "EQUALS", "", "constructor", undefined, null, 7] as const;
const TRUTHY = [true, true, true, "yes", 1] as const;
const FALSY = [false, false, undefined, null, 0, ""] as const;

export function randomConstraint(choices: Choices): unknown {
  if (choices.chance(0.003)) return choices.pick([null, 5, "text", []]);
  const constraint: Json = { ...fittingConstraint(choices) };
  constraint["inverted"] = choices.pick(choices.chance(0.25) ? TRUTHY : FALSY);
  constraint["caseInsensitive"] = choices.pick(choices.chance(0.3) ? TRUTHY : FALSY);
  if (choices.chance(0.06)) breakOneMember(constraint, choices);
  return dropUndefined(constraint);
}

/** A constraint whose field and values have the same kind, so that some contexts satisfy it. */
function fittingConstraint(choices: Choices): Json {
  const operator = choices.pick([...OPERATOR_NAMES, ...RARELY_SATISFIED]);
  const { kind, supportsCase = false } = OPERATORS[operator];
  return { operator, ...OPERANDS[kind](choices, supportsCase) };
}

/** Creates the field and the values of each kind; those of some operators can be parts of strings. */
const OPERANDS: Readonly<Record<ValueKind, (choices: Choices, isPartial: boolean) => Json>> = {
  strings: stringOperands,
  addressRanges: rangeOperands,
  number: numberOperand,
  version: versionOperand,
  date: momentOperand,
  pattern: patternOperand,
};

function numberOperand(choices: Choices): Json {
  const value = choices.weighted<unknown>([
    [80, choices.pick(NUMBERS)],
    [10, choices.pick(ODD_NUMBERS)],
    [5, choices.pick([5, 0, -1.5, true, null])],
  ]);
  return { contextName: choices.pick(FIELDS.number), value };
}

function versionOperand(choices: Choices): Json {
  const value = choices.pick<string>(choices.chance(0.85) ? VERSIONS : ODD_VERSIONS);
  return { contextName: choices.pick(FIELDS.version), value };
}

function momentOperand(choices: Choices): Json {
  const value = choices.weighted<unknown>([
    [80, choices.pick(MOMENTS)],
    [10, choices.pick(ODD_MOMENTS)],
    [5, choices.pick([1_640_995_200_000, null, true])],
  ]);
  return { contextName: choices.pick(["currentTime", "currentTime", "region"]), value };
}

function patternOperand(choices: Choices): Json {
  const value = choices.pick<string>(choices.chance(0.85) ? PATTERNS : ODD_PATTERNS);
  return { contextName: choices.pick(["text", "text", "text", ...FIELDS.text]), value };
}

function rangeOperands(choices: Choices): Json {
  const values = choices.list(choices.integer(4), () =>
    padded(
      choices,
      choices.weighted<string>([
        [60, choices.pick(RANGES)],
        [25, choices.pick(ADDRESSES)],
        [15, choices.pick(ODD_ADDRESSES)],
      ]),
    ),
  );
  return { contextName: choices.pick(FIELDS.address), values };
}

function stringOperands(choices: Choices, isPartial: boolean): Json {
  const contextName = choices.pick(FIELDS.text);
  const values = choices.list(choices.pick([0, 1, 1, 2, 3, 5]), () => {
    const value = choices.pick(valuesOf(contextName));
    return padded(choices, isPartial ? cutOut(choices, value) : value);
  });
  return { contextName, values };
}

function valuesOf(field: string): readonly string[] {
  switch (field) {
    case "userId":
      return USER_IDS;
    case "sessionId":
      return SESSION_IDS;
    case "region":
      return REGIONS;
    case "text":
      return TEXTS;
    default:
      return PLANS;
  }
}

function cutOut(choices: Choices, text: string): string {
  const start = choices.integer(2);
  return text.slice(start, start + 1 + choices.integer(3));
}

function padded(choices: Choices, value: string): string {
  return choices.weighted([
    [85, value],
    [8, ` ${value}\t`],
    [4, ""],
    [3, "  "],
  ]);
}

/** Breaks one member. Evaluations for which the official SDK then throws are not compared. */
function breakOneMember(constraint: Json, choices: Choices): void {
  const [key, value] = choices.pick<readonly [string, unknown]>([
    ["operator", choices.pick(UNKNOWN_OPERATORS)],
    ["operator", choices.pick(UNKNOWN_OPERATORS)],
    ["operator", choices.pick(OPERATOR_NAMES)],
    ["contextName", choices.pick(ALL_FIELDS)],
    ["contextName", undefined],
    ["contextName", choices.pick([5, null, true, ""])],
    ["values", undefined],
    ["values", choices.pick(["eu", null, 5])],
    ["values", ["eu", choices.pick([null, 0, false, "", 7]), "us", "1"]],
    ["value", undefined],
    ["value", choices.pick([null, 5, true, ""])],
  ]);
  constraint[key] = value;
}

export function dropUndefined(object: Json): Json {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}
