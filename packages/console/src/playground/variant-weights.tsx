import { Shuffle } from "lucide-react";
import type { EvaluationDetails } from "../api/types.ts";
import { Badge } from "../ui/badge.tsx";
import { formatShare } from "../ui/numbers.ts";

type Selection = NonNullable<EvaluationDetails["variantSelection"]>;

/** The variants with their shares, and why one of them was selected. */
export function VariantWeights({ selection }: { readonly selection: Selection }) {
  const { variants, totalWeight } = selection;
  return (
    <div className="weights">
      <span className="step-text">
        <span className="step-mark step-mark-true" aria-hidden>
          <Shuffle />
        </span>
        <span>{describeSelection(selection)}</span>
      </span>
      <ul className="weights-list">
        {variants.map(({ name, weight, selected }) => (
          <li key={name}>
            <Badge kind={selected ? "accent" : "neutral"}>
              {name}
              {weight === null || totalWeight === null || totalWeight === 0
                ? ""
                : ` ${formatShare(weight, totalWeight)}`}
              {selected ? " (selected)" : ""}
            </Badge>
          </li>
        ))}
      </ul>
    </div>
  );
}

function describeSelection(selection: Selection): string {
  const { variants, override, bucket, totalWeight, field, value, definedBy } = selection;
  const name = variants.find(({ selected }) => selected)?.name ?? "none";
  const start = `The variant is ${name}`;
  const source = definedBy === "flag" ? " of the flag" : "";
  if (override !== undefined) {
    return `${start}${source}: it is assigned to ${override.contextName} "${override.value}"`;
  }
  if (bucket === undefined) return `${start}${source}: no other has a weight`;
  const id = field === undefined ? "a random id" : `${field} "${value ?? ""}"`;
  return `${start}${source}: ${id} is in bucket ${bucket} of ${totalWeight ?? "?"}`;
}
