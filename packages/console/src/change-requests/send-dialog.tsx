import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { changeRequestQueries } from "../api/change-request-queries.ts";
import { adminPath, request as send } from "../api/request.ts";
import type { ChangeRequest } from "../api/types.ts";
import { useChange } from "../changes/use-change.ts";
import { sessionQuery } from "../session/session.ts";
import { CheckboxList } from "../ui/checkbox-list.tsx";
import { FormDialog } from "../ui/dialog.tsx";
import { TextField } from "../ui/fields.tsx";
import { describeCount } from "../ui/numbers.ts";

interface RequestDialogProps {
  readonly request: ChangeRequest;
  readonly onClose: () => void;
}

const TITLE_LENGTH = 200;

function rename({ project, id }: ChangeRequest, title: string): Promise<unknown> {
  return send(adminPath`/projects/${project}/change-requests/${String(id)}/title`, {
    method: "PUT",
    body: { title },
  });
}

export function RenameDialog({ request, onClose }: RequestDialogProps) {
  const [title, setTitle] = useState(request.title);
  const renaming = useChange({
    run: () => rename(request, title),
    invalidates: [["change-requests"]],
    showsErrors: true,
  });
  return (
    <FormDialog
      title="Rename the change request"
      submit="Save"
      draft={title}
      onClose={onClose}
      isPending={renaming.isPending}
      error={renaming.error}
      onSubmit={() => renaming.mutate(undefined, { onSuccess: onClose })}
    >
      <TitleField value={title} onChange={setTitle} />
    </FormDialog>
  );
}

interface TitleFieldProps {
  readonly value: string;
  readonly onChange: (title: string) => void;
}

function TitleField(props: TitleFieldProps) {
  return (
    <TextField
      {...props}
      label="Title"
      isRequired
      autoFocus
      maxLength={TITLE_LENGTH}
      description="What the request is for. Reviewers see it first."
      validate={(text) => (text !== "" && text.trim() === "" ? "Enter a title." : undefined)}
    />
  );
}

/** Sends a draft, or a scheduled request that lacks approvals, to review: with a title, a comment, and the people who are asked to review it. */
export function SendDialog({ request, onClose }: RequestDialogProps) {
  const { project, id, environment, minApprovals } = request;
  const { data: session } = useQuery(sessionQuery);
  const { data: people = [] } = useQuery(changeRequestQueries.reviewers(project, environment));
  const [title, setTitle] = useState(request.title);
  const [comment, setComment] = useState("");
  const [reviewers, setReviewers] = useState<readonly string[]>(
    request.reviewers.map((reviewer) => String(reviewer.id)),
  );
  const others = people.filter((person) => person.id !== session?.user.id);
  const path = adminPath`/projects/${project}/change-requests/${String(id)}`;
  const sending = useChange({
    run: async () => {
      if (title !== request.title) await rename(request, title);
      if (reviewers.length > 0) {
        const body = { reviewers: reviewers.map(Number) };
        await send(`${path}/approvers`, { method: "PUT", body });
      }
      const body = { state: "In review", ...(comment.trim() !== "" && { comment }) };
      await send(`${path}/state`, { method: "PUT", body });
    },
    invalidates: [["change-requests"]],
    success: () => "Sent to review",
    showsErrors: true,
  });
  return (
    <FormDialog
      title="Send to review"
      submit="Send"
      draft={[title, comment, reviewers]}
      onClose={onClose}
      isPending={sending.isPending}
      error={sending.error}
      onSubmit={() => sending.mutate(undefined, { onSuccess: onClose })}
    >
      <p>
        {describeCount(minApprovals, "approval is", "approvals are")} required. If you edit the
        request later, others have to approve it again.
        {request.state === "Scheduled"
          ? " This ends the schedule: schedule it again when it is approved."
          : ""}
      </p>
      <TitleField value={title} onChange={setTitle} />
      <TextField
        label="Comment"
        value={comment}
        onChange={setComment}
        rows={3}
        maxLength={10_000}
        description="Optional. Why the change is needed, and what to look at."
      />
      {others.length === 0 ? (
        <p className="muted">Nobody else can review it yet: an owner can add editors.</p>
      ) : (
        <CheckboxList
          label="Ask these people (everybody who can edit flags here can review it)"
          choices={others.map((person) => ({ id: String(person.id), label: person.username }))}
          value={reviewers}
          onChange={setReviewers}
        />
      )}
    </FormDialog>
  );
}
