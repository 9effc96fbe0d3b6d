import type { ChangeRequestSummary } from "../api/types.ts";
import { Badge } from "../ui/badge.tsx";

type State = ChangeRequestSummary["state"];

const KINDS = {
  Draft: "neutral",
  "In review": "warning",
  Approved: "good",
  Scheduled: "accent",
  Applied: "good",
  Rejected: "bad",
  Cancelled: "neutral",
} as const satisfies Record<State, string>;

interface StateBadgeProps {
  readonly request: Pick<ChangeRequestSummary, "schedule" | "state">;
}

/** The state of a change request. */
export function StateBadge({ request: { state, schedule } }: StateBadgeProps) {
  if (state === "Scheduled" && schedule?.status === "suspended") {
    return <Badge kind="bad">Schedule suspended</Badge>;
  }
  return <Badge kind={KINDS[state]}>{state}</Badge>;
}
