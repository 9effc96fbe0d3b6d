import { compileConstraint } from "../constraints/compile-constraint.ts";
import { isOperatorName, OPERATORS } from "../constraints/operator-table.ts";
import type { MaybeConstraint } from "../parse/model.ts";
import type { ConstraintExplanation, SegmentExplanation } from "./explanation.ts";
import { abbreviate, shorten } from "./scope.ts";
import type { ExplanationScope } from "./scope.ts";
import { describeConstraint } from "./sentences.ts";

/** Explains one constraint of a strategy or segment. */
export function explainConstraint(
  constraint: MaybeConstraint,
  scope: ExplanationScope,
): ConstraintExplanation {
  const compilation = scope.compilation();
  const matched = scope.holds(compileConstraint(constraint, compilation.scope));
  if (constraint === undefined) return { ...MALFORMED, matched };
  const { contextName, operator, inverted, caseInsensitive, values, value } = constraint;
  const isDate = isOperatorName(operator) && OPERATORS[operator].kind === "date";
  const actual = isDate ? currentTime(scope) : scope.textOf(contextName);
  const parts = {
    contextName: isDate ? "currentTime" : contextName,
    operator,
    inverted,
    caseInsensitive,
    ...(values !== undefined && values.length > 0 && { values: abbreviate(values, actual) }),
    ...(value !== undefined && { value: typeof value === "string" ? shorten(value) : value }),
    actual,
    matched,
    ...compilation.problem(),
  };
  return { ...parts, explanation: describeConstraint(parts) };
}

const MALFORMED_PROBLEM = "The constraint is malformed: it is never satisfied";

const MALFORMED: ConstraintExplanation = {
  contextName: "",
  operator: "",
  inverted: false,
  caseInsensitive: false,
  actual: null,
  matched: false,
  explanation: MALFORMED_PROBLEM,
  problem: MALFORMED_PROBLEM,
};

function currentTime(scope: ExplanationScope): string | null {
  const timeMs = scope.read(scope.fields.currentTimeMs());
  // oxlint-disable-next-line no-restricted-globals -- converts a given time, never reads the clock
  return Number.isNaN(timeMs) ? null : new Date(timeMs).toISOString();
}

/** Explains a segment of a strategy. */
export function explainSegment(id: unknown, scope: ExplanationScope): SegmentExplanation {
  const segment = scope.compilation().scope.segments.get(id);
  const text = typeof id === "string" ? id : (JSON.stringify(id) ?? "");
  if (segment === undefined) {
    const problem = `Segment ${text} is not in the document: the strategy never matches`;
    return { id: text, matched: false, constraints: [], explanation: problem, problem };
  }
  const constraints = segment.constraints.map((one) => explainConstraint(one, scope));
  const name = segment.name ?? text;
  const failed = constraints.find(({ matched }) => !matched);
  return {
    id: text,
    ...(segment.name !== undefined && { name: segment.name }),
    matched: failed === undefined,
    constraints,
    explanation:
      failed === undefined
        ? `the context is in the segment ${name}`
        : `the context is not in the segment ${name}: ${failed.explanation}`,
  };
}
