import { ListFilter } from "lucide-react";
import type { Constraint } from "../api/types.ts";
import { describeParts } from "./describe-constraint.ts";
import "./constraints.css";
import { formatCount } from "../ui/numbers.ts";

/** A constraint in one readable line. */
export function ConstraintSummary({ constraint }: { readonly constraint: Constraint }) {
  const { field, condition, values, furtherCount } = describeParts(constraint);
  return (
    <span className="constraint-summary">
      <strong>{field}</strong> {condition} <strong>{values === "" ? "…" : values}</strong>
      {furtherCount === 0 ? null : (
        <span className="muted" title={constraint.values.slice(0, 50).join(", ")}>
          {" "}
          (+{formatCount(furtherCount)})
        </span>
      )}
      {constraint.caseInsensitive ? <span className="muted">, ignoring case</span> : null}
    </span>
  );
}

interface ConstraintListProps {
  readonly constraints: readonly Constraint[];
}

/** Constraints that must all be met, one per line. */
export function ConstraintList({ constraints }: ConstraintListProps) {
  return (
    <ul className="constraint-list">
      {constraints.map((constraint, index) => (
        // Nothing but the position identifies a constraint.
        <li key={index}>
          <ListFilter aria-hidden />
          <ConstraintSummary constraint={constraint} />
        </li>
      ))}
    </ul>
  );
}
