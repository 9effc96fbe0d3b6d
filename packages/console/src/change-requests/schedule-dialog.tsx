import { useState } from "react";
import { adminPath, request as send } from "../api/request.ts";
import type { ChangeRequest } from "../api/types.ts";
import { useChange } from "../changes/use-change.ts";
import { FormDialog } from "../ui/dialog.tsx";
import { TextField } from "../ui/fields.tsx";
import { formatTimeWithUtc, fromLocalTime, toLocalTime } from "../ui/times.ts";

interface ScheduleDialogProps {
  readonly request: ChangeRequest;
  readonly onClose: () => void;
}

const HOUR_MS = 3_600_000;

/** Schedules a request, or moves its schedule. */
export function ScheduleDialog({ request, onClose }: ScheduleDialogProps) {
  const { project, id, schedule, state, environment } = request;
  const isScheduled = state === "Scheduled";
  const [text, setText] = useState(() => toLocalTime(suggestTime(schedule?.scheduledAt)));
  const scheduledAt = fromLocalTime(text);
  const scheduling = useChange({
    run: () =>
      send(adminPath`/projects/${project}/change-requests/${String(id)}/state`, {
        method: "PUT",
        body: { state: "Scheduled", scheduledAt },
      }),
    invalidates: [["change-requests"]],
    success: () => `Scheduled for ${formatTimeWithUtc(scheduledAt)}`,
    showsErrors: true,
  });
  return (
    <FormDialog
      title={isScheduled ? "Move the schedule" : "Schedule the request"}
      submit={isScheduled ? "Move" : "Schedule"}
      draft={text}
      onClose={onClose}
      isPending={scheduling.isPending}
      error={scheduling.error}
      onSubmit={() => scheduling.mutate(undefined, { onSuccess: onClose })}
    >
      <p>
        All changes take effect then in {environment}, in your name. If somebody changes the same
        before, the schedule is suspended, and nothing changes.
      </p>
      <TextField
        type="datetime-local"
        label="Time"
        value={text}
        onChange={setText}
        isRequired
        description={
          scheduledAt === ""
            ? "In the time zone of your browser."
            : `${formatTimeWithUtc(scheduledAt)}.`
        }
        validate={(entered) => {
          const time = fromLocalTime(entered);
          return time !== "" && new Date(time).getTime() <= Date.now()
            ? "Choose a time in the future."
            : undefined;
        }}
      />
    </FormDialog>
  );
}

/** Returns the time that is scheduled if it is in the future, and the next full hour but one otherwise. */
function suggestTime(scheduledAt: string | undefined): string {
  if (scheduledAt !== undefined && new Date(scheduledAt).getTime() > Date.now()) return scheduledAt;
  return new Date((Math.floor(Date.now() / HOUR_MS) + 2) * HOUR_MS).toISOString();
}
