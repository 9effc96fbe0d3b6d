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

export interface ConstraintScope {
  readonly fields: ContextFields;
  readonly document: Pick<FeatureDocument, "segments">;
  readonly compiledSegments: CompiledSegments;
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

/**
 * The segments of one snapshot. Each is compiled once: a document can be short although thousands of strategies refer to a
 * segment with thousands of constraints.
 */
export type CompiledSegments = Map<Segment, CompiledSegment>;

interface CompiledSegment {
  readonly condition: Condition;
  /** The first problem in it, which every strategy with the segment has. */
  readonly problem: string | undefined;
}

function compileSegment(id: unknown, scope: ConstraintScope): Condition {
  const segment = scope.document.segments.get(id);
  if (segment === undefined) {
    scope.report(
      `Segment ${JSON.stringify(id)} is not in the document: the strategy never matches`,
    );
    return false;
  }
  const compiled = scope.compiledSegments.get(segment) ?? compileParts(segment, scope);
  scope.compiledSegments.set(segment, compiled);
  if (compiled.problem !== undefined) scope.report(compiled.problem);
  return compiled.condition;
}

function compileParts({ constraints }: Segment, scope: ConstraintScope): CompiledSegment {
  let problem: string | undefined;
  const report = (message: string): void => void (problem ??= message);
  const condition = all(constraints.map((one) => compileReported(one, { ...scope, report })));
  return { condition: scope.fields.shared(condition), problem };
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
