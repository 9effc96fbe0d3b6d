import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { ArrowLeft, Pencil } from "lucide-react";
import { useState } from "react";
import { changeRequestQueries } from "../api/change-request-queries.ts";
import { ApiError } from "../api/request.ts";
import type { ChangeRequest } from "../api/types.ts";
import { Badge } from "../ui/badge.tsx";
import { Banner } from "../ui/banner.tsx";
import { IconButton } from "../ui/button.tsx";
import { describeError } from "../ui/describe-error.ts";
import { Loaded } from "../ui/loaded.tsx";
import { describeCount } from "../ui/numbers.ts";
import { Page } from "../ui/page.tsx";
import { Time } from "../ui/time.tsx";
import { formatTimeWithUtc } from "../ui/times.ts";
import { joinWithAnd } from "../ui/words.ts";
import { RequestActions } from "./request-actions.tsx";
import { RequestChanges } from "./request-changes.tsx";
import { RequestComments } from "./request-comments.tsx";
import { isApproved, isOpen, type Rights, useRights } from "./rights.ts";
import { RenameDialog } from "./send-dialog.tsx";
import { StateBadge } from "./state-badge.tsx";
import "./change-requests.css";

const route = getRouteApi("/shell/projects/$project/change-requests/$id");

/** A change request: what it changes, what others say about it, and what can be done with it. */
export function RequestPage() {
  const { project, id } = route.useParams();
  const query = useQuery(changeRequestQueries.one(project, Number(id)));
  const isUnknown = query.error instanceof ApiError && query.error.status === 404;
  const above = (
    <Link to="/projects/$project/change-requests" params={{ project }} className="back-link">
      <ArrowLeft aria-hidden /> Change requests
    </Link>
  );
  if (isUnknown) {
    return (
      <Page title="There is no such change request" above={above}>
        <p>Somebody has deleted the draft, or the address is misspelt.</p>
      </Page>
    );
  }
  if (query.data === undefined) {
    return (
      <Page title="Change request" above={above}>
        <Loaded query={query}>{() => null}</Loaded>
      </Page>
    );
  }
  return <Request request={query.data} above={above} />;
}

interface RequestProps {
  readonly request: ChangeRequest;
  readonly above: React.ReactNode;
}

function Request({ request, above }: RequestProps) {
  const { project, environment, title, createdBy, createdAt } = request;
  const rights = useRights(request);
  const [isRenaming, setRenaming] = useState(false);
  const checked = useQuery({
    ...changeRequestQueries.checked(request),
    enabled: rights.isOpen && rights.canComment,
  });
  return (
    <Page
      title={title}
      above={above}
      besideTitle={
        <>
          {rights.canEdit ? (
            <IconButton label="Rename" onPress={() => setRenaming(true)}>
              <Pencil aria-hidden />
            </IconButton>
          ) : null}
          <StateBadge request={request} />
        </>
      }
      description={
        <>
          For <strong>{environment}</strong> in the project {project}. Created by{" "}
          {createdBy.username} <Time value={createdAt} />.
        </>
      }
      actions={<RequestActions request={request} rights={rights} />}
    >
      <StateNotes request={request} rights={rights} />
      {checked.error === null || !rights.isOpen ? null : (
        <Banner kind="error">It cannot be applied any more. {describeError(checked.error)}</Banner>
      )}
      <RequestChanges request={request} checked={checked.data} rights={rights} />
      <Reviews request={request} />
      <RequestComments request={request} canComment={rights.canComment} />
      {isRenaming ? <RenameDialog request={request} onClose={() => setRenaming(false)} /> : null}
    </Page>
  );
}

interface StateNotesProps {
  readonly request: ChangeRequest;
  readonly rights: Rights;
}

/** What is special about the state of a request. */
function StateNotes({ request, rights }: StateNotesProps) {
  const { appliedWithoutApproval, appliedBy, state } = request;
  return (
    <>
      {state === "Draft" && rights.canEdit ? (
        <Banner kind="info">
          This is a draft: nobody else is asked to look at it yet.
          {request.minApprovals === 0
            ? " Nobody has to approve it, so you can apply or schedule it."
            : " Send it to review when it is complete."}
        </Banner>
      ) : null}
      {appliedWithoutApproval === undefined ? null : (
        <Banner kind="warning">
          {appliedBy?.username ?? "Somebody"} applied it without the required approvals: “
          {appliedWithoutApproval.reason}”
        </Banner>
      )}
      <ScheduleNote request={request} rights={rights} />
    </>
  );
}

/** When a request is applied, or what is in the way. */
function ScheduleNote({ request, rights }: StateNotesProps) {
  const { schedule, createdBy, state, minApprovals } = request;
  if (schedule === undefined) return null;
  const { status, scheduledBy, reason } = schedule;
  const time = formatTimeWithUtc(schedule.scheduledAt);
  if (status === "suspended") {
    return (
      <Banner kind="error">
        The schedule for {time} is suspended: {reason ?? "unknown reason"}.
        {isApproved(request) ? " Apply it, schedule it again, or cancel it." : ""}
      </Banner>
    );
  }
  if (state !== "Scheduled") return <p className="muted">It was scheduled for {time}.</p>;
  if (!isApproved(request)) {
    return (
      <Banner kind="warning">
        It is scheduled for {time}, but will not be applied before it has{" "}
        {describeCount(minApprovals, "approval")}, which it requires now.{" "}
        {rights.canSteer ? "Send it to review." : `${createdBy.username} can send it to review.`}
      </Banner>
    );
  }
  return (
    <Banner kind="info">
      It is applied on {time}
      {scheduledBy === undefined ? "" : `, in the name of ${scheduledBy.username}`}.
      {status === "failed" ? " It failed, and is tried again: " : ""}
      {reason}
    </Banner>
  );
}

/** Who has approved or rejected a request, and who is asked to. */
function Reviews({ request }: { readonly request: ChangeRequest }) {
  const { approvals, rejections, reviewers, minApprovals, requiredApprovals } = request;
  const reviewed = new Set([...approvals, ...rejections].map(({ createdBy }) => createdBy.id));
  const asked = reviewers.filter(({ id }) => !reviewed.has(id));
  // What changes require now says nothing about a request that was closed before.
  const isRequired = isOpen(request) && minApprovals > 0;
  const hasNone = approvals.length + rejections.length === 0;
  if (!isRequired && hasNone && requiredApprovals === undefined) return null;
  return (
    <section className="request-section" aria-labelledby="reviews-heading">
      <h2 id="reviews-heading">Reviews</h2>
      {isRequired ? (
        <p>
          {approvals.length} of {describeCount(minApprovals, "required approval")}.
          {asked.length === 0
            ? ""
            : ` Asked to review: ${joinWithAnd(asked.map(({ username }) => username))}.`}
        </p>
      ) : null}
      {requiredApprovals === undefined ? null : (
        <p>
          It required{" "}
          {requiredApprovals === 0 ? "no approvals" : describeCount(requiredApprovals, "approval")}{" "}
          when it was applied.
        </p>
      )}
      {hasNone ? null : (
        <ul className="card request-notes" aria-label="Reviews">
          {[
            ...approvals.map((review) => ({ ...review, isApproval: true })),
            ...rejections.map((review) => ({ ...review, isApproval: false })),
          ].map(({ createdBy, createdAt, isApproval }) => (
            <li key={createdBy.id}>
              <Badge kind={isApproval ? "good" : "bad"}>
                {isApproval ? "Approved" : "Rejected"}
              </Badge>
              <span>
                by {createdBy.username} <Time value={createdAt} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
