import { useState } from "react";
import { adminPath, request } from "../api/request.ts";
import type { ProjectEnvironment } from "../api/types.ts";
import { PendingNote } from "../change-requests/pending-note.tsx";
import { useChange } from "../changes/use-change.ts";
import { MAX_APPROVALS } from "../environments/environment-fields.tsx";
import { FormDialog } from "../ui/dialog.tsx";
import { Checkbox } from "../ui/fields.tsx";
import { NumberField } from "../ui/number-field.tsx";
import { describeCount } from "../ui/numbers.ts";

interface RequiredApprovalsDialogProps {
  readonly project: string;
  readonly environment: ProjectEnvironment;
  /** How many approvals changes require now. */
  readonly before: number;
  readonly onClose: () => void;
}

/** Sets how many approvals changes in an environment of a project require: at least what the environment does. */
export function RequiredApprovalsDialog({
  project,
  environment: { name, protection, requiredApprovals },
  before,
  onClose,
}: RequiredApprovalsDialogProps) {
  const minimum = protection === "approvals" ? (requiredApprovals ?? 1) : 0;
  const [approvals, setApprovals] = useState(before);
  const isRequired = approvals > 0;
  const change = useChange({
    run: () =>
      request(adminPath`/projects/${project}/environments/${name}/change-requests/config`, {
        method: "PUT",
        body: {
          changeRequestsEnabled: isRequired,
          ...(isRequired && { requiredApprovals: approvals }),
        },
      }),
    invalidates: [["projects"], ["change-requests"]],
    success: () =>
      isRequired
        ? `Changes in ${name} now require ${describeCount(approvals, "approval")}`
        : `Changes in ${name} no longer require approvals`,
    showsErrors: true,
  });
  return (
    <FormDialog
      title={`Required approvals in ${name}`}
      submit="Save"
      draft={approvals}
      onClose={onClose}
      isPending={change.isPending}
      error={change.error}
      onSubmit={() => change.mutate(undefined, { onSuccess: onClose })}
    >
      <p>
        Changes that require approvals are collected in a change request, which other editors of the
        project review. Nobody approves a request of their own. Turning a flag off always works at
        once, with a reason.
      </p>
      <Checkbox
        label="Changes require approvals"
        isSelected={isRequired}
        isDisabled={minimum > 0}
        onChange={(isSelected) => setApprovals(isSelected ? 1 : 0)}
      />
      {isRequired ? (
        <NumberField
          label="Number of approvals"
          value={approvals}
          onChange={(count) => setApprovals(Number.isNaN(count) ? Math.max(1, minimum) : count)}
          minValue={Math.max(1, minimum)}
          maxValue={MAX_APPROVALS}
          isRequired
          {...(minimum > 0 && {
            description: `The environment requires at least ${minimum} in every project.`,
          })}
        />
      ) : null}
      {approvals > before ? (
        <PendingNote project={project} environment={name} approvals={approvals} />
      ) : null}
    </FormDialog>
  );
}
