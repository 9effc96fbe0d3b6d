import { useNavigate } from "@tanstack/react-router";
import { EllipsisVertical } from "lucide-react";
import { useState } from "react";
import { adminPath } from "../api/request.ts";
import type { ChangeRequest } from "../api/types.ts";
import { DeleteDialog } from "../changes/delete-dialog.tsx";
import { Button, IconButton } from "../ui/button.tsx";
import { Menu, type MenuEntry } from "../ui/menu.tsx";
import type { Rights } from "./rights.ts";
import { ScheduleDialog } from "./schedule-dialog.tsx";
import { SendDialog } from "./send-dialog.tsx";
import { StateDialog, type StateChange } from "./state-dialog.tsx";

interface RequestActionsProps {
  readonly request: ChangeRequest;
  readonly rights: Rights;
}

type DialogName = StateChange | "delete" | "schedule" | "send";

/** What the user can do with a request. */
export function RequestActions({ request, rights }: RequestActionsProps) {
  const [dialog, setDialog] = useState<DialogName>();
  if (!rights.isOpen || !rights.canComment) return null;
  const entries = menuEntries(request, rights, setDialog);
  return (
    <>
      <RequestButtons request={request} rights={rights} open={setDialog} />
      {entries.length === 0 ? null : (
        <Menu entries={entries}>
          <IconButton label="More actions">
            <EllipsisVertical aria-hidden />
          </IconButton>
        </Menu>
      )}
      {dialog === undefined ? null : (
        <RequestDialog request={request} dialog={dialog} onClose={() => setDialog(undefined)} />
      )}
    </>
  );
}

interface RequestButtonsProps extends RequestActionsProps {
  readonly open: (dialog: DialogName) => void;
}

function RequestButtons({ request, rights, open }: RequestButtonsProps) {
  const { state } = request;
  return (
    <>
      {(state === "Draft" || state === "Scheduled") && rights.canSteer && !rights.canApply ? (
        <Button variant="primary" onPress={() => open("send")}>
          Send to review
        </Button>
      ) : null}
      {rights.canApprove ? (
        <Button variant={rights.canApply ? "normal" : "primary"} onPress={() => open("approve")}>
          Approve
        </Button>
      ) : null}
      {rights.canReview ? <Button onPress={() => open("reject")}>Reject</Button> : null}
      {rights.canApply ? (
        <>
          <Button variant="primary" onPress={() => open("apply")}>
            Apply
          </Button>
          <Button onPress={() => open("schedule")}>
            {state === "Scheduled" ? "Move the schedule" : "Schedule"}
          </Button>
        </>
      ) : null}
    </>
  );
}

function menuEntries(
  { state }: ChangeRequest,
  rights: Rights,
  open: (dialog: DialogName) => void,
): readonly MenuEntry[] {
  const entry = (label: string, dialog: DialogName, isDangerous = true): MenuEntry => ({
    label,
    run: () => open(dialog),
    isDangerous,
  });
  const canDelete = state === "Draft" && rights.canEdit;
  return [
    ...(state === "Scheduled" && rights.canSteer
      ? [entry("End the schedule…", "unschedule", false)]
      : []),
    ...(rights.canApplyWithoutApproval ? [entry("Apply without approval…", "force")] : []),
    ...(canDelete ? [entry("Delete the draft…", "delete")] : []),
    ...(rights.canSteer && !canDelete ? [entry("Cancel the request…", "cancel")] : []),
  ];
}

interface RequestDialogProps {
  readonly request: ChangeRequest;
  readonly dialog: DialogName;
  readonly onClose: () => void;
}

function RequestDialog({ request, dialog, onClose }: RequestDialogProps) {
  const navigate = useNavigate();
  const { project, id } = request;
  if (dialog === "send") return <SendDialog request={request} onClose={onClose} />;
  if (dialog === "schedule") return <ScheduleDialog request={request} onClose={onClose} />;
  if (dialog !== "delete") {
    return <StateDialog request={request} change={dialog} onClose={onClose} />;
  }
  return (
    <DeleteDialog
      subject="the draft"
      path={adminPath`/projects/${project}/change-requests/${String(id)}`}
      invalidates={[
        ["change-requests", "open"],
        ["change-requests", "list"],
      ]}
      onClose={onClose}
      onDone={() =>
        void navigate({ to: "/projects/$project/change-requests", params: { project } })
      }
    >
      <p>Nothing that it contains has been changed.</p>
    </DeleteDialog>
  );
}
