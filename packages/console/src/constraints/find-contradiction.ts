import type { Constraint } from "../api/types.ts";
import { formatTime } from "../ui/times.ts";
import { describeConstraint } from "./describe-constraint.ts";
import { operatorOf, takesList } from "./operators.ts";

/** A constraint, and where it comes from. */
export interface PlacedConstraint {
  readonly constraint: Constraint;
  /** The name of the segment that contains it; undefined for one of the strategy. */
  readonly segment?: string;
}

/**
 * Says why no context can match all constraints, if that is easy to see: because of an empty list, a time in the past, or two
 * constraints on one field that exclude each other. Undefined if some context may match.
 */
export function findContradiction(
  constraints: readonly PlacedConstraint[],
  nowMs: number,
): string | undefined {
  for (const { constraint } of constraints) {
    const problem = describeAlone(constraint, nowMs);
    if (problem !== undefined) return problem;
  }
  const ranges = constraints.map((entry) => ({ ...entry, ...toRange(entry.constraint) }));
  for (const [index, one] of ranges.entries()) {
    const other = ranges.slice(index + 1).find((later) => excludeEachOther(one, later));
    if (other !== undefined) {
      return `${quote(one)} and ${quote(other)} exclude each other.`;
    }
  }
  return undefined;
}

function quote({ constraint, segment }: PlacedConstraint): string {
  const place = segment === undefined ? "" : ` (segment ${segment})`;
  return `“${describeConstraint(constraint)}”${place}`;
}

/** Says why a constraint matches no context. */
function describeAlone(constraint: Constraint, nowMs: number): string | undefined {
  const { operator, contextName, values, value = "", inverted } = constraint;
  if (takesList(operator) && values.length === 0 && (operator === "NOT_IN") === inverted) {
    return `The list of values for ${contextName} is empty.`;
  }
  const hasPassed = Date.parse(value) <= nowMs;
  const isBefore = inverted ? operator === "DATE_AFTER" : operator === "DATE_BEFORE";
  return isBefore && hasPassed ? `${formatTime(value)} has passed.` : undefined;
}

/** What a constraint accepts of its field: only some texts, all but some texts, or an interval. */
interface Range {
  readonly field: string;
  readonly allowed?: ReadonlySet<string>;
  readonly forbidden?: ReadonlySet<string>;
  readonly interval?: Interval;
}

/** From `min` to `max`. */
interface Interval {
  readonly min: number;
  readonly max: number;
  /** Whether neither of them is in the interval itself. */
  readonly isOpen: boolean;
}

function toRange(constraint: Constraint): Range {
  const { contextName, operator, values, value = "", inverted } = constraint;
  if (operator === "IN" || operator === "NOT_IN") {
    const isAllowed = (operator === "IN") !== inverted;
    return { field: contextName, [isAllowed ? "allowed" : "forbidden"]: new Set(values) };
  }
  const { kind } = operatorOf(operator);
  // NOTE: an inverted comparison of numbers also matches where the field is absent.
  if (kind === "number" && !inverted) {
    const interval = toInterval(operator.slice("NUM_".length), Number(value));
    return { field: contextName, ...(interval !== undefined && { interval }) };
  }
  if (kind === "date" && !inverted) {
    const isAfter = operator === "DATE_AFTER";
    const interval = toInterval(isAfter ? "GT" : "LT", Date.parse(value));
    // Every constraint on a time is about the time of the evaluation.
    return { field: " time", ...(interval !== undefined && { interval }) };
  }
  return { field: contextName };
}

function toInterval(comparison: string, operand: number): Interval | undefined {
  if (Number.isNaN(operand)) return undefined;
  switch (comparison) {
    case "EQ":
      return { min: operand, max: operand, isOpen: false };
    case "GT":
    case "GTE":
      return { min: operand, max: Infinity, isOpen: comparison === "GT" };
    case "LT":
    case "LTE":
      return { min: -Infinity, max: operand, isOpen: comparison === "LT" };
    default:
      return undefined;
  }
}

function excludeEachOther(one: Range, other: Range): boolean {
  if (one.field !== other.field) return false;
  if (one.interval !== undefined && other.interval !== undefined) {
    return areApart(one.interval, other.interval) || areApart(other.interval, one.interval);
  }
  return isNotAllowedBy(one, other) || isNotAllowedBy(other, one);
}

/** Whether an interval ends before another one begins. */
function areApart(first: Interval, second: Interval): boolean {
  if (first.max !== second.min) return first.max < second.min;
  return first.isOpen || second.isOpen;
}

/** Whether a constraint accepts nothing of what another one accepts. */
function isNotAllowedBy({ allowed }: Range, other: Range): boolean {
  if (allowed === undefined) return false;
  return [...allowed].every((value) =>
    other.allowed === undefined ? other.forbidden?.has(value) === true : !other.allowed.has(value),
  );
}
