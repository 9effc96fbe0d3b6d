import { not } from "../evaluate/condition.ts";
import type { Condition } from "../evaluate/condition.ts";
import type { ContextFields } from "../evaluate/context-fields.ts";
import type { MaybeConstraint, Segment, Strategy } from "../parse/model.ts";
import type { Report } from "../snapshot.ts";
import { isOperatorName } from "./operator-table.ts";
import type { Patterns } from "./patterns.ts";
import { IMPLEMENTATIONS } from "./implementations.ts";

/** The inputs that the compilations of all constraints share. */
export interface ConstraintScope {
  readonly fields: ContextFields;
  readonly segments: ReadonlyMap<unknown, Segment>;
  readonly patterns: Patterns;
  readonly report: Report;
}

/** Compiles the constraints of a strategy, followed by those of its segments. All must hold. */
export function compileConstraints(strategy: Strategy, scope: ConstraintScope): Condition[] {
  const inSegments = strategy.segments.flatMap((id) => constraintsOfSegment(id, scope));
  return [...strategy.constraints, ...inSegments].map((constraint) =>
    compileConstraint(constraint, scope),
  );
}

function constraintsOfSegment(
  id: unknown,
  { segments, report }: ConstraintScope,
): readonly MaybeConstraint[] {
  const segment = segments.get(id);
  if (segment !== undefined) return segment.constraints;
  report(`Segment ${JSON.stringify(id)} is not in the document: the strategy never matches`);
  return [undefined];
}

/** A malformed constraint is never satisfied, even if it is inverted. */
export function compileConstraint(
  constraint: MaybeConstraint,
  { fields, patterns, report }: ConstraintScope,
): Condition {
  if (constraint === undefined) return false;
  const { operator } = constraint;
  if (!isOperatorName(operator)) {
    report(`Operator ${JSON.stringify(operator)} is unknown: the constraint is never satisfied`);
    return false;
  }
  const condition = IMPLEMENTATIONS[operator](constraint, fields, report, patterns);
  if (condition === undefined) return false;
  return constraint.inverted ? not(condition) : condition;
}
