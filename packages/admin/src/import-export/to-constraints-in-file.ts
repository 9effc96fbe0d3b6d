import type { StoredConstraint } from "../storage/schema/strategies.ts";
import type { Operator } from "../domain/strategies/operators.ts";
import type { ConstraintInput } from "../domain/strategies/schemas.ts";

/** Constraints as they can be sent again. */
export function toConstraintsInFile(stored: readonly StoredConstraint[]): ConstraintInput[] {
  return stored.map((constraint) => ({
    ...constraint,
    // It was checked when it was stored.
    operator: constraint.operator as Operator,
    values: [...constraint.values],
  }));
}
