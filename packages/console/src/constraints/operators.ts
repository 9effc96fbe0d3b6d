import {
  isListKind,
  isOperatorName,
  type OperatorDescription,
  OPERATORS,
  type ValueKind,
} from "../../../engine/src/constraints/operator-table.ts";

/** An operator as the console shows it. */
interface Operator extends Required<OperatorDescription> {
  /** Whether the service accepts that the condition is inverted. */
  readonly supportsInversion: boolean;
}

/** Returns the description of an operator. An unknown one, of a newer service, is shown by its name. */
export function operatorOf(name: string): Operator {
  const description: OperatorDescription = isOperatorName(name)
    ? OPERATORS[name]
    : { kind: "strings", phrase: name, negation: `not ${name}` };
  return {
    supportsCase: false,
    ...description,
    supportsInversion: description.kind !== "pattern",
  };
}

/** Whether the operator compares with a list of values instead of one value. */
export function takesList(operator: string): boolean {
  return isListKind(operatorOf(operator).kind);
}

const GROUPS: Readonly<Record<ValueKind, string>> = {
  strings: "Text",
  pattern: "Text",
  number: "Number",
  version: "Version",
  date: "Time",
  addressRanges: "Address",
};

/** Returns the operators to choose from, including the current one even if it is unknown. */
export function operatorChoices(current: string) {
  const known = Object.entries(OPERATORS).map(([id, { phrase, kind }]) => ({
    id,
    label: phrase,
    group: GROUPS[kind],
  }));
  return isOperatorName(current)
    ? known
    : [...known, { id: current, label: current, group: "Other" }];
}

/** The context field that holds the time of an evaluation. */
export const TIME_FIELD = "currentTime";
