import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState } from "react";
import { notificationQueries } from "../api/notification-queries.ts";
import type { Addon, AddonProvider } from "../api/types.ts";
import { useHasRole } from "../session/session.ts";
import { Button } from "../ui/button.tsx";
import { DataTable } from "../ui/data-table.tsx";
import { Empty } from "../ui/empty.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Page } from "../ui/page.tsx";
import { Time } from "../ui/time.tsx";
import { describeEvents, describePlaces, nameOf, providerNameOf } from "./describe-notification.ts";
import { NotificationDialog } from "./notification-dialog.tsx";
import { NotificationProblem, StateBadge } from "./notification-state.tsx";
import "./notifications.css";

/** Where the service sends notifications of events. */
export function NotificationsPage() {
  const isAdmin = useHasRole("admin");
  const [isCreating, setCreating] = useState(false);
  return (
    <Page
      title="Notifications"
      description="Tell a channel or a program who changed what. Messages are tried again for three days if they do not arrive."
      actions={
        isAdmin ? (
          <Button variant="primary" onPress={() => setCreating(true)}>
            <Plus aria-hidden /> New notification
          </Button>
        ) : undefined
      }
    >
      {isAdmin ? <Notifications /> : <p>Only admins see and change notifications.</p>}
      {isCreating ? <NotificationDialog onClose={() => setCreating(false)} /> : null}
    </Page>
  );
}

function Notifications() {
  const query = useQuery(notificationQueries.all());
  return (
    <Loaded query={query}>
      {({ addons, providers }) =>
        addons.length === 0 ? (
          <Empty title="Nobody is notified yet">
            <p>Send changes to Slack, Microsoft Teams, Datadog or a program of yours.</p>
          </Empty>
        ) : (
          <>
            {addons.map((addon) => (
              <NotificationProblem
                key={addon.id}
                addon={addon}
                name={nameOf(addon, providers)}
                isLinked
              />
            ))}
            <NotificationTable addons={addons} providers={providers} />
          </>
        )
      }
    </Loaded>
  );
}

interface NotificationTableProps {
  readonly addons: readonly Addon[];
  readonly providers: readonly AddonProvider[];
}

function NotificationTable({ addons, providers }: NotificationTableProps) {
  return (
    <DataTable
      label="Notifications"
      rows={addons}
      keyOf={({ id }) => String(id)}
      columns={[
        {
          id: "name",
          header: "Name",
          isRowHeader: true,
          cell: (addon) => (
            <>
              <Link
                to="/notifications/$notification"
                params={{ notification: String(addon.id) }}
                className="notification-name"
              >
                {nameOf(addon, providers)}
              </Link>
              <div className="muted notification-destination">
                {providerNameOf(addon, providers)} · {addon.destination}
              </div>
            </>
          ),
        },
        {
          id: "events",
          header: "Events",
          cell: (addon) => (
            <div>
              {describeEvents(addon)}
              <div className="muted">{describePlaces(addon)}</div>
            </div>
          ),
        },
        {
          id: "state",
          header: "State",
          width: "9rem",
          cell: (addon) => <StateBadge addon={addon} />,
        },
        {
          id: "last",
          header: "Last message",
          width: "10rem",
          cell: ({ lastAttempt }) =>
            lastAttempt === null ? (
              <span className="muted">none</span>
            ) : (
              <Time value={lastAttempt.at} />
            ),
        },
      ]}
    />
  );
}
