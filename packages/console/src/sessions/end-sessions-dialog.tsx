import { ApiError, adminPath, request } from "../api/request.ts";
import type { ListedSession } from "../api/types.ts";
import { useChange } from "../changes/use-change.ts";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { describeCount } from "../ui/numbers.ts";

interface EndSessionsDialogProps {
  /** Sessions of other browsers. */
  readonly sessions: readonly ListedSession[];
  readonly onClose: () => void;
}

/** Ends sessions after a confirmation. */
export function EndSessionsDialog({ sessions, onClose }: EndSessionsDialogProps) {
  const [only] = sessions;
  const subject =
    sessions.length === 1 && only !== undefined
      ? `the session of ${only.user.name}`
      : describeCount(sessions.length, "session");
  const ending = useChange({
    run: () => endAll(sessions),
    invalidates: [["sessions"]],
    success: () => `Ended ${subject}`,
    showsErrors: true,
  });
  return (
    <ConfirmDialog
      title={`End ${subject}?`}
      submit="End"
      isPending={ending.isPending}
      error={ending.error}
      onClose={onClose}
      onConfirm={() => ending.mutate(undefined, { onSuccess: onClose })}
    >
      <p>
        Whoever uses {sessions.length === 1 ? "it" : "them"} is signed out at once, and can sign in
        again. To prevent that, first disable the account or delete the token.
      </p>
    </ConfirmDialog>
  );
}

async function endAll(sessions: readonly ListedSession[]): Promise<void> {
  for (const { id } of sessions) {
    // oxlint-disable-next-line no-await-in-loop -- changes run one at a time anyway
    await request(adminPath`/sessions/${id}`, { method: "DELETE" }).catch(ignoreEnded);
  }
}

/** A session may have ended by itself in the meantime. */
function ignoreEnded(error: unknown): void {
  if (!(error instanceof ApiError && error.status === 404)) throw error;
}
