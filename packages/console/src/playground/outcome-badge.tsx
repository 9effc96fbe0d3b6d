import { Badge } from "../ui/badge.tsx";
import { describeCount, formatCount } from "../ui/numbers.ts";
import type { Outcome } from "./outcome.ts";

interface OutcomeBadgeProps {
  readonly outcome: Outcome;
  /** How many contexts of how many have this outcome. @default not shown */
  readonly share?: { readonly count: number; readonly total: number };
}

/** Shows whether a flag is on, and its variant. */
export function OutcomeBadge({ outcome: { state, variant }, share }: OutcomeBadgeProps) {
  const kind = state === "on" ? "good" : state === "unknown" ? "warning" : "neutral";
  return (
    <Badge kind={kind}>
      {variant === undefined ? state : `${state} · ${variant}`}
      {share === undefined
        ? ""
        : `: ${formatCount(share.count)} of ${describeCount(share.total, "context")}`}
    </Badge>
  );
}
