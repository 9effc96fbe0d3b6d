import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { GitPullRequestArrow } from "lucide-react";
import { changeRequestQueries } from "../api/change-request-queries.ts";
import type { ChangeRequestSummary } from "../api/types.ts";
import { describeCount } from "../ui/numbers.ts";
import { formatTime } from "../ui/times.ts";
import { RequestLink } from "./request-link.tsx";
import { StateBadge } from "./state-badge.tsx";
import "./change-requests.css";

interface OpenRequestsProps {
  readonly project: string;
  /** Also shows the requests about this flag. @default none */
  readonly flag?: string;
}

/** The user's drafts in a project, which are to be sent, and what others have requested of a flag. */
export function OpenRequests({ project, flag }: OpenRequestsProps) {
  const { data: open = [] } = useQuery(changeRequestQueries.open(project));
  const drafts = open.filter(({ state }) => state === "Draft");
  const concerning = open.filter(
    ({ state, features }) => state !== "Draft" && features.some(({ name }) => name === flag),
  );
  return (
    <>
      {drafts.map((draft) => (
        <DraftBar key={draft.id} draft={draft} />
      ))}
      {concerning.length === 0 ? null : (
        <ul className="card request-notes" aria-label="Requested changes of this flag">
          {concerning.map((request) => (
            <li key={request.id}>
              <StateBadge request={request} />
              <span>
                <RequestLink request={request} /> for {request.environment}
                {request.schedule === undefined
                  ? ""
                  : `, ${formatTime(request.schedule.scheduledAt)}`}
                {describeMissing(request)}
              </span>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** The approvals that a scheduled request lacks because they have been turned on since. */
function describeMissing({ state, approvals, minApprovals }: ChangeRequestSummary): string {
  const missing = minApprovals - approvals.length;
  return state === "Scheduled" && missing > 0
    ? `, needs ${describeCount(missing, "approval")}`
    : "";
}

function DraftBar({
  draft: { id, project, environment, features, segments, minApprovals },
}: {
  readonly draft: ChangeRequestSummary;
}) {
  const count =
    segments.length + features.reduce((total, { changes }) => total + changes.length, 0);
  return (
    <div className="draft-bar" role="status">
      <GitPullRequestArrow aria-hidden />
      <span>
        Your change request for <strong>{environment}</strong> has {describeCount(count, "change")}.
        Nobody else sees it yet.
      </span>
      <Link
        to="/projects/$project/change-requests/$id"
        params={{ project, id: String(id) }}
        className="button button-primary button-size-small"
      >
        {minApprovals === 0 ? "Apply or schedule" : "Review and send"}
      </Link>
    </div>
  );
}
