import { Badge } from "../ui/badge.tsx";
import { formatCount } from "../ui/numbers.ts";
import type { Outcome } from "./outcome.ts";

interface OutcomeBadgeProps {
  readonly outcome: Outcome;
  /** How many contexts have this outcome. @default not shown */
  readonly count?: number;
}

/** Shows whether a flag is on, and its variant. */
export function OutcomeBadge({ outcome: { state, variant }, count }: OutcomeBadgeProps) {
  const kind = state === "on" ? "good" : state === "unknown" ? "warning" : "neutral";
  return (
    <Badge kind={kind}>
      {variant === undefined ? state : `${state} · ${variant}`}
      {count === undefined ? "" : ` for ${formatCount(count)}`}
    </Badge>
  );
}
