import { useQuery } from "@tanstack/react-query";
import type { ChangeRequestSummary } from "../api/types.ts";
import { useHasProjectRole } from "../projects/use-project-role.ts";
import { type Session, sessionQuery } from "../session/session.ts";

const CLOSED: readonly string[] = ["Applied", "Cancelled", "Rejected"];

export function isOpen({ state }: Pick<ChangeRequestSummary, "state">): boolean {
  return !CLOSED.includes(state);
}

/** Whether a request has the approvals that it requires. */
export function isApproved({
  approvals,
  minApprovals,
}: Pick<ChangeRequestSummary, "approvals" | "minApprovals">): boolean {
  return approvals.length >= minApprovals;
}

/** What the user may do with a request. The service decides the same. */
export interface Rights {
  readonly isOpen: boolean;
  /** Whether the user has created it, and so may edit it. */
  readonly canEdit: boolean;
  readonly canComment: boolean;
  readonly canReview: boolean;
  /** Whether the user can review it, and has not approved it yet. */
  readonly canApprove: boolean;
  /** To send it to review, to end its schedule and to cancel it. */
  readonly canSteer: boolean;
  readonly canApply: boolean;
  readonly canApplyWithoutApproval: boolean;
}

export function useRights(request: ChangeRequestSummary): Rights {
  const { data: session } = useQuery(sessionQuery);
  const isEditor = useHasProjectRole(request.project, "editor");
  const isOwner = useHasProjectRole(request.project, "owner");
  const isOwn = session !== undefined && isCreator(session.user, request);
  const none = !isOpen(request) || !isEditor;
  const isInReview = request.state === "In review" || request.state === "Approved";
  const canReview = !none && isInReview && !isOwn && session?.user.kind !== "token";
  return {
    isOpen: isOpen(request),
    canComment: isEditor,
    canEdit: !none && isOwn,
    canReview,
    canApprove:
      canReview && !request.approvals.some(({ createdBy }) => createdBy.id === session?.user.id),
    canSteer: !none && (isOwn || isOwner),
    canApply: !none && isApproved(request),
    canApplyWithoutApproval: !none && isOwner && !isApproved(request),
  };
}

function isCreator(
  user: Session["user"],
  { createdBy }: Pick<ChangeRequestSummary, "createdBy">,
): boolean {
  // Somebody who signs in with a token has no account.
  return user.id === null ? createdBy.username === user.name : createdBy.id === user.id;
}
