import type { Constraint } from "../api/types.ts";
import { operatorOf, takesList } from "./operators.ts";
import { formatTime } from "../ui/times.ts";
import { formatCount } from "../ui/numbers.ts";

/** A constraint in words. */
interface Description {
  readonly field: string;
  readonly condition: string;
  /** The values. The last ones may be missing. */
  readonly values: string;
  /** How many values are missing. */
  readonly furtherCount: number;
}

/** How many values a line shows. */
const SHOWN_VALUES = 2;

/** Describes a constraint in the parts of one line. */
export function describeParts(constraint: Constraint): Description {
  const { contextName, operator, inverted, value = "" } = constraint;
  const { phrase, negation, kind } = operatorOf(operator);
  const values = takesList(operator) ? constraint.values : [value];
  const isSingle = values.length === 1;
  const text = inverted ? negation : phrase;
  return {
    field: kind === "date" ? "the time" : contextName || "…",
    condition: isSingle ? text.replace(/ one of$/, "") : text,
    values: values
      .slice(0, SHOWN_VALUES)
      .map((entry) => (kind === "date" ? formatTime(entry) : entry))
      .join(", "),
    furtherCount: Math.max(0, values.length - SHOWN_VALUES),
  };
}

/** Describes a constraint in one line, for example "country is one of DE, AT (+3)". */
export function describeConstraint(constraint: Constraint): string {
  const { field, condition, values, furtherCount } = describeParts(constraint);
  const line = `${field} ${condition} ${values === "" ? "…" : values}`;
  return furtherCount === 0 ? line : `${line} (+${formatCount(furtherCount)})`;
}
