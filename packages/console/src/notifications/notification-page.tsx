import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { ArrowLeft } from "lucide-react";
import { useState } from "react";
import { notificationQueries } from "../api/notification-queries.ts";
import { adminPath, request } from "../api/request.ts";
import type { Addon, SentNotification } from "../api/types.ts";
import { DeleteDialog } from "../changes/delete-dialog.tsx";
import { useChange } from "../changes/use-change.ts";
import { useHasRole } from "../session/session.ts";
import { Badge } from "../ui/badge.tsx";
import { Banner } from "../ui/banner.tsx";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { DataTable } from "../ui/data-table.tsx";
import { withFullStop } from "../ui/describe-error.ts";
import { Empty } from "../ui/empty.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { RowMenu } from "../ui/menu.tsx";
import { describeCount } from "../ui/numbers.ts";
import { Page } from "../ui/page.tsx";
import { Switch } from "../ui/switch.tsx";
import { Time } from "../ui/time.tsx";
import { describeEvents, describePlaces, nameOf, providerNameOf } from "./describe-notification.ts";
import { labelOf } from "./event-choice.tsx";
import { NotificationDialog, WebhookSecret } from "./notification-dialog.tsx";
import { NotificationProblem } from "./notification-state.tsx";
import "./notifications.css";

const route = getRouteApi("/shell/notifications/$notification");

/** One notification: its state, and what it has sent. */
export function NotificationPage() {
  const { notification } = route.useParams();
  const isAdmin = useHasRole("admin");
  const query = useQuery({ ...notificationQueries.all(), enabled: isAdmin });
  const addon = query.data?.addons.find(({ id }) => String(id) === notification);
  const name = addon === undefined ? "Notification" : nameOf(addon, query.data?.providers ?? []);
  return (
    <Page
      title={name}
      above={
        <Link to="/notifications" className="back-link">
          <ArrowLeft aria-hidden /> All notifications
        </Link>
      }
      actions={addon === undefined ? undefined : <Actions addon={addon} name={name} />}
      {...(addon !== undefined && {
        description: `${providerNameOf(addon, query.data?.providers ?? [])} at ${addon.destination}. Of ${describeEvents(addon)}, in ${describePlaces(addon)}.`,
      })}
    >
      {isAdmin ? (
        <Loaded query={query}>
          {() =>
            addon === undefined ? (
              <p>This notification does not exist, or somebody has deleted it.</p>
            ) : (
              <Details addon={addon} name={name} />
            )
          }
        </Loaded>
      ) : (
        <p>Only admins see and change notifications.</p>
      )}
    </Page>
  );
}

interface AddonProps {
  readonly addon: Addon;
  readonly name: string;
}

function Actions({ addon, name }: AddonProps) {
  const navigate = useNavigate();
  const [dialog, setDialog] = useState<"delete" | "edit" | "rotate">();
  const close = (): void => setDialog(undefined);
  return (
    <>
      <Button onPress={() => setDialog("edit")}>Change</Button>
      <RowMenu
        name={name}
        entries={[
          ...(addon.provider === "webhook"
            ? [{ label: "New secret", run: () => setDialog("rotate") }]
            : []),
          { label: "Delete", run: () => setDialog("delete"), isDangerous: true },
        ]}
      />
      {dialog === "edit" ? <NotificationDialog addon={addon} onClose={close} /> : null}
      {dialog === "rotate" ? <RotateDialog addon={addon} onClose={close} /> : null}
      {dialog === "delete" ? (
        <DeleteDialog
          subject={`the notification ${name}`}
          path={adminPath`/addons/${String(addon.id)}`}
          invalidates={[["addons"]]}
          onClose={close}
          onDone={() => void navigate({ to: "/notifications" })}
        >
          <p>Nothing more is sent, and the list of its messages is deleted.</p>
        </DeleteDialog>
      ) : null}
    </>
  );
}

interface RotateDialogProps {
  readonly addon: Addon;
  readonly onClose: () => void;
}

function RotateDialog({ addon, onClose }: RotateDialogProps) {
  const [secret, setSecret] = useState<string>();
  const rotation = useChange({
    run: async () => {
      const path = adminPath`/addons/${String(addon.id)}/rotate-secret`;
      const created = await request<{ readonly secret: string }>(path, { method: "POST" });
      setSecret(created.secret);
    },
    invalidates: [["addons"]],
    showsErrors: true,
  });
  if (secret !== undefined) return <WebhookSecret secret={secret} onClose={onClose} />;
  return (
    <ConfirmDialog
      title="Replace the secret?"
      submit="New secret"
      isDangerous={false}
      isPending={rotation.isPending}
      error={rotation.error}
      onClose={onClose}
      onConfirm={() => rotation.mutate()}
    >
      <p>For a day, messages are signed with both, so that the receiver can change it meanwhile.</p>
    </ConfirmDialog>
  );
}

function Details({ addon, name }: AddonProps) {
  return (
    <>
      <NotificationProblem addon={addon} name={name} />
      <div className="notification-controls">
        <EnabledSwitch addon={addon} />
        <SendTest addon={addon} />
      </div>
      <section className="notification-log" aria-labelledby="messages">
        <h2 id="messages">Messages of the last 30 days</h2>
        <Log addon={addon} />
      </section>
    </>
  );
}

function EnabledSwitch({ addon }: { readonly addon: Addon }) {
  const switching = useChange<boolean>({
    run: (enabled) => {
      const { parameters, events } = addon;
      return request(adminPath`/addons/${String(addon.id)}`, {
        method: "PUT",
        body: { enabled, parameters, events },
      });
    },
    invalidates: [["addons"], ["notification-log"]],
    success: (enabled) => `Turned ${enabled ? "on" : "off"} the notification`,
  });
  return (
    <Switch
      label={addon.enabled ? "On" : "Off"}
      isSelected={addon.enabled}
      onChange={switching.mutate}
      isDisabled={switching.isPending}
    />
  );
}

interface TestResult {
  readonly state: "failed" | "success";
  readonly status: number | null;
  readonly durationMs: number;
  readonly reason: string | null;
}

function SendTest({ addon }: { readonly addon: Addon }) {
  const [result, setResult] = useState<TestResult>();
  const test = useChange({
    run: async () => {
      setResult(undefined);
      const path = adminPath`/addons/${String(addon.id)}/test`;
      setResult(await request<TestResult>(path, { method: "POST" }));
    },
    invalidates: [],
  });
  return (
    <>
      <Button onPress={() => test.mutate()} isPending={test.isPending}>
        Send a test
      </Button>
      {result === undefined ? null : (
        <Banner kind={result.state === "success" ? "success" : "error"}>
          {result.state === "success"
            ? `The test arrived after ${result.durationMs} ms.`
            : withFullStop(`The test did not arrive. ${result.reason ?? ""}`)}
        </Banner>
      )}
    </>
  );
}

function Log({ addon }: { readonly addon: Addon }) {
  const query = useQuery(notificationQueries.log(addon.id));
  return (
    <Loaded query={query}>
      {(log) =>
        log.length === 0 ? (
          <Empty title="Nothing has been sent yet" />
        ) : (
          <DataTable
            label="Messages"
            rows={log}
            keyOf={({ id }) => id}
            columns={[
              { id: "event", header: "Event", isRowHeader: true, cell: renderEvent },
              {
                id: "time",
                header: "Time",
                width: "9rem",
                cell: ({ event, createdAt }) => <Time value={event?.createdAt ?? createdAt} />,
              },
              { id: "state", header: "Result", cell: renderState },
              {
                id: "resend",
                header: "Actions",
                hidesHeader: true,
                width: "8rem",
                cell: (message) =>
                  addon.enabled ? <Resend addon={addon} message={message} /> : null,
              },
            ]}
          />
        )
      }
    </Loaded>
  );
}

function renderEvent({ event }: SentNotification) {
  if (event === null) return <span className="muted">A deleted event</span>;
  const { type, featureName, environment, project } = event;
  const place = [featureName, environment, project].filter((part) => part !== null);
  return (
    <>
      {labelOf(type)}
      <div className="muted">{place.join(" · ")}</div>
    </>
  );
}

function renderState({ state, stateDetails, details }: SentNotification) {
  const { attempts, nextAttemptAt } = details;
  const tries = attempts > 1 ? `after ${describeCount(attempts, "attempt")}` : "";
  if (state === "success") {
    return (
      <span>
        <Badge kind="good">Sent</Badge> {tries}
      </span>
    );
  }
  return (
    <div>
      {state === "failed" ? (
        <>
          <Badge kind="bad">Given up</Badge> {tries}
        </>
      ) : (
        <>
          <Badge kind={attempts === 0 ? "neutral" : "warning"}>Waiting</Badge> {tries}
          {nextAttemptAt === null ? null : (
            <>
              {" "}
              Next: <Time value={nextAttemptAt} />
            </>
          )}
        </>
      )}
      {stateDetails === "" ? null : <div className="muted">{withFullStop(stateDetails)}</div>}
    </div>
  );
}

interface ResendProps {
  readonly addon: Addon;
  readonly message: SentNotification;
}

function Resend({ addon, message }: ResendProps) {
  const resending = useChange({
    run: () =>
      request(adminPath`/addons/${String(addon.id)}/events/${message.id}/resend`, {
        method: "POST",
      }),
    invalidates: [["addons"], ["notification-log"]],
  });
  return (
    <Button size="small" onPress={() => resending.mutate()} isPending={resending.isPending}>
      Send again
    </Button>
  );
}
