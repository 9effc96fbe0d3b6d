import type { ChangeRequestSummary } from "../api/types.ts";
import { type Column, DataTable } from "../ui/data-table.tsx";
import { describeCount } from "../ui/numbers.ts";
import { Time } from "../ui/time.tsx";
import { formatTime } from "../ui/times.ts";
import { RequestLink } from "./request-link.tsx";
import { StateBadge } from "./state-badge.tsx";

interface RequestTableProps {
  readonly label: string;
  readonly requests: readonly ChangeRequestSummary[];
  /** Whether to name the project of each request. @default false */
  readonly namesProject?: boolean;
}

/** A list of change requests. */
export function RequestTable({ label, requests, namesProject = false }: RequestTableProps) {
  const columns: readonly Column<ChangeRequestSummary>[] = [
    {
      id: "title",
      header: "Title",
      isRowHeader: true,
      cell: (request) => (
        <>
          <RequestLink request={request} />
          <p className="data-detail">
            {namesProject ? `${request.project} · ` : ""}
            {request.environment} · {describeChanges(request)}
          </p>
        </>
      ),
    },
    {
      id: "state",
      header: "State",
      width: "14rem",
      cell: (request) => (
        <span>
          <StateBadge request={request} />
          <p className="data-detail">{describeProgress(request)}</p>
        </span>
      ),
    },
    {
      id: "created",
      header: "Created",
      width: "12rem",
      cell: ({ createdBy, createdAt }) => (
        <span>
          <Time value={createdAt} />
          <p className="data-detail">by {createdBy.username}</p>
        </span>
      ),
    },
  ];
  return (
    <DataTable label={label} columns={columns} rows={requests} keyOf={({ id }) => String(id)} />
  );
}

/** How many flags a request names in a list. */
const SHOWN_FLAGS = 2;

function describeChanges({ features, segments }: ChangeRequestSummary): string {
  const count =
    segments.length + features.reduce((total, { changes }) => total + changes.length, 0);
  const names = features.map(({ name }) => name);
  const others = names.length - SHOWN_FLAGS;
  const shown = [
    ...names.slice(0, SHOWN_FLAGS),
    ...(others > 0 ? [describeCount(others, "more flag")] : []),
  ];
  const changes = describeCount(count, "change");
  return shown.length === 0 ? changes : `${changes} of ${shown.join(", ")}`;
}

function describeProgress({
  state,
  approvals,
  minApprovals,
  schedule,
  appliedWithoutApproval,
}: ChangeRequestSummary): string {
  if (appliedWithoutApproval !== undefined) return "without approval";
  if (state === "Scheduled" && schedule !== undefined) return formatTime(schedule.scheduledAt);
  if (state === "In review") return `${approvals.length} of ${minApprovals} approvals`;
  return "";
}
