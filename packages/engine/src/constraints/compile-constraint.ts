import { LIST_OPERATORS, VALUE_OPERATORS } from "./registry.ts";
import type { Constraint, MaybeConstraint, Strategy } from "../parse/model.ts";
import { not } from "../evaluate/condition.ts";
import type { Condition } from "../evaluate/condition.ts";
import type { FeatureScope } from "../compile/scope.ts";

/** The strategy's own constraints and then those of its segments, all of which have to hold. */
export function compileConstraints(strategy: Strategy, scope: FeatureScope): Condition[] {
  return [...strategy.constraints, ...strategy.segments.flatMap((id) => segment(id, scope))].map(
    (constraint) => compileConstraint(constraint, scope),
  );
}

function segment(id: unknown, { segments, report }: FeatureScope): readonly MaybeConstraint[] {
  const found = segments.get(id);
  if (found !== undefined) return found.constraints;
  report(`Segment ${JSON.stringify(id)} is not in the document: the strategy never matches`);
  return [undefined];
}

/** A malformed constraint is never fulfilled, not even inverted. */
function compileConstraint(constraint: MaybeConstraint, scope: FeatureScope): Condition {
  if (constraint === undefined) return false;
  const condition = applyOperator(constraint, scope);
  if (condition === undefined) return false;
  return constraint.inverted ? not(condition) : condition;
}

function applyOperator(constraint: Constraint, scope: FeatureScope): Condition | undefined {
  const { operator, values } = constraint;
  const overValue = VALUE_OPERATORS.get(operator);
  if (overValue !== undefined) return overValue(constraint, scope.fields);
  const overList = LIST_OPERATORS.get(operator);
  if (overList === undefined) {
    scope.report(`Operator ${JSON.stringify(operator)} is not known: it is never fulfilled`);
    return undefined;
  }
  if (values === undefined) {
    scope.report(`The values of ${operator} must be a list of texts: it is never fulfilled`);
    return undefined;
  }
  return overList({ ...constraint, values }, scope.fields);
}
