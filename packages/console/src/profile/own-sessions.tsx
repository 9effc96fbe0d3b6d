import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { queries } from "../api/queries.ts";
import { adminPath, ApiError, request } from "../api/request.ts";
import type { OwnSession } from "../api/types.ts";
import { useChange } from "../changes/use-change.ts";
import { describeDevice } from "../sessions/describe-device.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { type Column, DataTable } from "../ui/data-table.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Time } from "../ui/time.tsx";

/** Where the user is signed in. */
export function OwnSessions() {
  const sessions = useQuery(queries.ownSessions());
  const [isEndingOthers, setEndingOthers] = useState(false);
  const ending = useChange<OwnSession>({
    run: ({ id }) =>
      request(adminPath`/user/sessions/${id}`, { method: "DELETE" }).catch(ignoreEnded),
    invalidates: [["sessions"]],
    success: (session) => `Ended the session of ${describeDevice(session)}`,
  });
  const actions: Column<OwnSession> = {
    id: "actions",
    header: "Actions",
    hidesHeader: true,
    width: "5rem",
    cell: (session) =>
      session.current ? null : (
        <Button
          size="small"
          aria-label={`End the session of ${describeDevice(session)}`}
          onPress={() => ending.mutate(session)}
        >
          End
        </Button>
      ),
  };
  return (
    <section className="profile-section" aria-labelledby="own-sessions-heading">
      <h2 id="own-sessions-heading">Sessions</h2>
      <p className="muted">
        Where you are signed in. If you do not recognize one, end it, and change your password.
      </p>
      <Loaded query={sessions}>
        {(all) => (
          <>
            <DataTable
              label="Your sessions"
              rows={all}
              keyOf={({ id }) => id}
              columns={[...COLUMNS, actions]}
            />
            <div>
              <Button isDisabled={all.length < 2} onPress={() => setEndingOthers(true)}>
                End all others
              </Button>
            </div>
          </>
        )}
      </Loaded>
      {isEndingOthers ? <EndOthersDialog onClose={() => setEndingOthers(false)} /> : null}
    </section>
  );
}

/** A session may have ended by itself in the meantime. */
function ignoreEnded(error: unknown): void {
  if (!(error instanceof ApiError && error.status === 404)) throw error;
}

function EndOthersDialog({ onClose }: { readonly onClose: () => void }) {
  const ending = useChange({
    run: () => request(adminPath`/user/sessions`, { method: "DELETE" }),
    invalidates: [["sessions"]],
    success: () => "Ended your other sessions",
    showsErrors: true,
  });
  return (
    <ConfirmDialog
      title="End all your other sessions?"
      submit="End all others"
      isPending={ending.isPending}
      error={ending.error}
      onClose={onClose}
      onConfirm={() => ending.mutate(undefined, { onSuccess: onClose })}
    >
      <p>You are signed out at once in all other browsers. This one stays signed in.</p>
    </ConfirmDialog>
  );
}

const COLUMNS: readonly Column<OwnSession>[] = [
  {
    id: "device",
    header: "Browser",
    isRowHeader: true,
    cell: (session) => (
      <span>
        {describeDevice({ ...session, address: null })}{" "}
        {session.current ? <Badge kind="accent">this browser</Badge> : null}
        <p className="data-detail">{session.address ?? "unknown address"}</p>
      </span>
    ),
  },
  {
    id: "seen",
    header: "Last used",
    width: "9rem",
    cell: ({ lastSeenAt }) =>
      lastSeenAt === null ? (
        <span className="muted">not yet known</span>
      ) : (
        <Time value={lastSeenAt} />
      ),
  },
  {
    id: "created",
    header: "Signed in",
    width: "9rem",
    cell: ({ createdAt }) => <Time value={createdAt} />,
  },
  {
    id: "expires",
    header: "Expires",
    width: "9rem",
    cell: ({ expiresAt }) => <Time value={expiresAt} />,
  },
];
