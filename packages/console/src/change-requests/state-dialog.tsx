import { useState } from "react";
import { adminPath, request as send } from "../api/request.ts";
import type { ChangeRequest } from "../api/types.ts";
import { useChange } from "../changes/use-change.ts";
import { FormDialog } from "../ui/dialog.tsx";
import { TextField } from "../ui/fields.tsx";

/** What applying a request changes, besides the request. */
export const EVERYTHING_ABOUT_FLAGS = [
  ["change-requests"],
  ["flags"],
  ["flag"],
  ["segments"],
  ["projects"],
  ["environments"],
] as const;

interface Kind {
  readonly state: ChangeRequest["state"];
  readonly title: string;
  readonly submit: string;
  readonly success: string;
  /** What it means. */
  readonly text: (request: ChangeRequest) => string;
  readonly isDangerous?: boolean;
  /** The label of a field that has to be filled in. @default a comment, which is optional */
  readonly required?: string;
}

const KINDS = {
  approve: {
    state: "Approved",
    title: "Approve the request?",
    submit: "Approve",
    success: "Approved",
    text: ({ approvals, minApprovals }) =>
      approvals.length + 1 >= minApprovals
        ? "It then has all approvals that it requires, and can be applied."
        : `It then has ${approvals.length + 1} of ${minApprovals} required approvals.`,
  },
  reject: {
    state: "Rejected",
    title: "Reject the request?",
    submit: "Reject",
    success: "Rejected",
    text: () => "This closes it. Nothing changes.",
    isDangerous: true,
  },
  apply: {
    state: "Applied",
    title: "Apply the request?",
    submit: "Apply",
    success: "Applied: all changes are in effect",
    text: ({ environment }) => `All of its changes take effect at once in ${environment}.`,
  },
  force: {
    state: "Applied",
    title: "Apply it without approval?",
    submit: "Apply without approval",
    success: "Applied without approval",
    text: ({ environment, approvals, minApprovals }) =>
      `It has ${approvals.length} of ${minApprovals} required approvals. All of its changes take effect at once in ${environment}, and everybody sees that you applied it without approval.`,
    isDangerous: true,
    required: "Reason",
  },
  unschedule: {
    state: "In review",
    title: "End the schedule?",
    submit: "End the schedule",
    success: "The schedule has ended",
    text: ({ approvals, minApprovals }) =>
      approvals.length >= minApprovals
        ? "The request keeps its approvals, and can be applied or scheduled again."
        : `The request is then in review: it has ${approvals.length} of ${minApprovals} required approvals.`,
  },
  cancel: {
    state: "Cancelled",
    title: "Cancel the request?",
    submit: "Cancel the request",
    success: "Cancelled the request",
    text: () => "This closes it for good. Nothing changes.",
    isDangerous: true,
  },
} as const satisfies Readonly<Record<string, Kind>>;

export type StateChange = keyof typeof KINDS;

interface StateDialogProps {
  readonly request: ChangeRequest;
  readonly change: StateChange;
  readonly onClose: () => void;
}

/** Moves a request to another state, with a comment. */
export function StateDialog({ request, change, onClose }: StateDialogProps) {
  const kind: Kind = KINDS[change];
  const { title, submit, state, success, text, isDangerous = false, required } = kind;
  const [comment, setComment] = useState("");
  const changing = useChange({
    run: () =>
      send(adminPath`/projects/${request.project}/change-requests/${String(request.id)}/state`, {
        method: "PUT",
        body: { state, ...(comment.trim() !== "" && { comment }) },
      }),
    invalidates: EVERYTHING_ABOUT_FLAGS,
    success: () => success,
    showsErrors: true,
  });
  return (
    <FormDialog
      title={title}
      submit={submit}
      {...(change === "cancel" && { cancel: "Keep it" })}
      isDangerous={isDangerous}
      draft={comment}
      onClose={onClose}
      isPending={changing.isPending}
      error={changing.error}
      onSubmit={() => changing.mutate(undefined, { onSuccess: onClose })}
    >
      <p>{text(request)}</p>
      <TextField
        label={required ?? "Comment"}
        value={comment}
        onChange={setComment}
        rows={3}
        maxLength={10_000}
        autoFocus
        isRequired={required !== undefined}
        {...(required === undefined && { description: "Optional." })}
        validate={(entered) =>
          required !== undefined && entered !== "" && entered.trim() === ""
            ? "Enter a reason."
            : undefined
        }
      />
    </FormDialog>
  );
}
