import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { queries } from "../api/queries.ts";
import type { ListedSession } from "../api/types.ts";
import { useHasRole } from "../session/session.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { type Column, DataTable } from "../ui/data-table.tsx";
import { Empty } from "../ui/empty.tsx";
import { SearchField } from "../ui/fields.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { describeCount, describeShown } from "../ui/numbers.ts";
import { Page } from "../ui/page.tsx";
import { Time } from "../ui/time.tsx";
import { matchesWords, toWords } from "../ui/words.ts";
import { describeDevice } from "./describe-device.ts";
import { EndSessionsDialog } from "./end-sessions-dialog.tsx";
import "./sessions.css";

/** Who is signed in to the console. */
export function SessionsPage() {
  const isAdmin = useHasRole("admin");
  const sessions = useQuery({ ...queries.sessions(), enabled: isAdmin });
  return (
    <Page
      title="Sessions"
      description="Who is signed in to this console. A session ends when it expires, when its user signs out, when its token is deleted, when its account is disabled, or when you end it here."
    >
      {isAdmin ? (
        <Loaded query={sessions}>{(all) => <Sessions sessions={all} />}</Loaded>
      ) : (
        <Empty title="Only admins can see who is signed in" />
      )}
    </Page>
  );
}

function Sessions({ sessions }: { readonly sessions: readonly ListedSession[] }) {
  const [query, setQuery] = useState("");
  const [ending, setEnding] = useState<readonly ListedSession[]>();
  const shown = useMemo(() => {
    const words = toWords(query);
    return sessions.filter(({ user, role, address }) =>
      matchesWords(words, user.name, user.issuer, user.subject, role, address),
    );
  }, [sessions, query]);
  const others = shown.filter(({ current }) => !current);
  const actions: Column<ListedSession> = {
    id: "actions",
    header: "Actions",
    hidesHeader: true,
    width: "5rem",
    cell: (session) =>
      session.current ? null : (
        <Button
          size="small"
          aria-label={`End the session of ${session.user.name}`}
          onPress={() => setEnding([session])}
        >
          End
        </Button>
      ),
  };
  return (
    <>
      <div className="session-filters" role="search">
        <SearchField label="Search by user, role or address" value={query} onChange={setQuery} />
        <Button variant="danger" isDisabled={others.length === 0} onPress={() => setEnding(others)}>
          End {query.trim() === "" ? "all others" : describeCount(others.length, "session")}
        </Button>
      </div>
      <p className="muted" role="status">
        {describeShown(shown.length, sessions.length, "session")}
      </p>
      {shown.length === 0 ? (
        <Empty title="No session matches" />
      ) : (
        <DataTable
          label="Sessions"
          rows={shown}
          keyOf={({ id }) => id}
          columns={[...COLUMNS, actions]}
        />
      )}
      {ending === undefined ? null : (
        <EndSessionsDialog sessions={ending} onClose={() => setEnding(undefined)} />
      )}
    </>
  );
}

function describeSignIn({ kind, subject, issuer }: ListedSession["user"]): string {
  switch (kind) {
    case "token":
      return "with a token";
    case "user":
      return "with a password";
    default:
      return `${subject} at ${issuer}`;
  }
}

const TIME_WIDTH = "clamp(7.5rem, 12.5vw, 10rem)";

const COLUMNS: readonly Column<ListedSession>[] = [
  {
    id: "user",
    header: "User",
    isRowHeader: true,
    cell: ({ user, current, userAgent, address }) => (
      <span>
        {user.name} {current ? <Badge kind="accent">this browser</Badge> : null}
        <p className="data-detail session-identity">{describeSignIn(user)}</p>
        <p className="data-detail session-identity">{describeDevice({ userAgent, address })}</p>
      </span>
    ),
  },
  { id: "role", header: "Role", width: "6.5rem", cell: ({ role }) => <Badge>{role}</Badge> },
  {
    id: "seen",
    header: "Last used",
    width: TIME_WIDTH,
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
    width: TIME_WIDTH,
    cell: ({ createdAt }) => <Time value={createdAt} />,
  },
  {
    id: "expires",
    header: "Expires",
    width: TIME_WIDTH,
    cell: ({ expiresAt }) => <Time value={expiresAt} />,
  },
];
