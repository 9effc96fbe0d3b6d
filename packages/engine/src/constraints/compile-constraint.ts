import { all, not } from "../evaluate/condition.ts";
import type { Condition } from "../evaluate/condition.ts";
import type { ContextFields } from "../evaluate/context-fields.ts";
import type { Report } from "../parse/diagnostics.ts";
import type { FeatureDocument, MaybeConstraint, Segment, Strategy } from "../parse/model.ts";
import { isAddressOrRange } from "./address-text.ts";
import { isOperatorName } from "./operator-table.ts";
import type { Patterns } from "./operator.ts";
import { describeUseless, NO_ADDRESS } from "./useless-entries.ts";
import { IMPLEMENTATIONS } from "./implementations.ts";

/** The inputs that the compilations of all constraints share. */
export interface ConstraintScope {
  readonly fields: ContextFields;
  readonly document: Pick<FeatureDocument, "segments">;
  readonly segmentConditions: SegmentConditions;
  readonly patterns: Patterns;
  readonly report: Report;
}

/** Compiles the constraints of a strategy, followed by its segments. All must hold. */
export function compileConstraints(strategy: Strategy, scope: ConstraintScope): Condition[] {
  return [
    ...strategy.constraints.map((constraint) => compileReported(constraint, scope)),
    ...strategy.segments.map((id) => compileSegment(id, scope)),
  ];
}

function compileSegment(id: unknown, scope: ConstraintScope): Condition {
  const segment = scope.document.segments.get(id);
  if (segment !== undefined) return scope.segmentConditions.of(segment, scope);
  scope.report(`Segment ${JSON.stringify(id)} is not in the document: the strategy never matches`);
  return false;
}

interface CompiledSegment {
  readonly condition: Condition;
  /** The first problem in it, which every strategy with the segment has. */
  readonly problem: string | undefined;
}

/**
 * The conditions of the segments of one snapshot. Each segment is compiled once: a document can be short although
 * thousands of strategies refer to a segment with thousands of constraints.
 */
export class SegmentConditions {
  readonly #compiled = new Map<Segment, CompiledSegment>();

  /** Returns the condition of a segment. */
  of(segment: Segment, scope: ConstraintScope): Condition {
    const { condition, problem } = this.#compiled.get(segment) ?? this.#compile(segment, scope);
    if (problem !== undefined) scope.report(problem);
    return condition;
  }

  #compile(segment: Segment, scope: ConstraintScope): CompiledSegment {
    let problem: string | undefined;
    const report = (message: string): void => void (problem ??= message);
    const condition = all(
      segment.constraints.map((constraint) => compileReported(constraint, { ...scope, report })),
    );
    const compiled = { condition: scope.fields.shared(condition), problem };
    this.#compiled.set(segment, compiled);
    return compiled;
  }
}

/** Also reports values that can never match. An explanation omits these, since the others decide. */
function compileReported(constraint: MaybeConstraint, scope: ConstraintScope): Condition {
  if (constraint?.operator === "IN_CIDR") {
    const problem = describeUseless(constraint.values ?? [], isAddressOrRange, NO_ADDRESS);
    if (problem !== undefined) scope.report(`The list of IN_CIDR ${problem}`);
  }
  return compileConstraint(constraint, scope);
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
