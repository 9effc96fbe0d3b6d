import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { adminPath, request as send } from "../api/request.ts";
import type { ActionName, ChangeRequest, RequestedChange } from "../api/types.ts";
import { useChange } from "../changes/use-change.ts";
import { describePath, describeValue } from "../events/describe-value.ts";
import { Banner } from "../ui/banner.tsx";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { lazyPart } from "../ui/lazy-part.tsx";
import { describeCount } from "../ui/numbers.ts";
import { ChangeEvents } from "./change-events.tsx";
import { describeRequestedChange } from "./describe-requested-change.ts";
import type { Rights } from "./rights.ts";

const EditChangeDialog = lazyPart(
  async () => (await import("./edit-change-dialog.tsx")).EditChangeDialog,
);

/** The changes that the form with which they are requested also edits. Others are removed, and requested again. */
const EDITABLE: readonly ActionName[] = [
  "addStrategy",
  "patchVariant",
  "setRolloutPlan",
  "updateEnabled",
  "updateStrategy",
];

interface RequestChangesProps {
  readonly request: ChangeRequest;
  /** The same request, with what others have changed since; undefined until that is known. */
  readonly checked: ChangeRequest | undefined;
  readonly rights: Rights;
}

/** The changes of a request, in words, with what they change. */
export function RequestChanges({ request, checked = request, rights }: RequestChangesProps) {
  const conflicts = new Map(
    changesOf(checked).map(({ id, conflicts: found = [] }) => [id, found] as const),
  );
  const { project, features, segments } = request;
  const count = changesOf(request).length;
  const show = (change: RequestedChange, flag: string) => (
    <Change
      key={change.id}
      request={request}
      change={change}
      flag={flag}
      conflicts={conflicts.get(change.id) ?? []}
      canEdit={rights.canEdit}
    />
  );
  return (
    <section className="request-section" aria-labelledby="changes-heading">
      <h2 id="changes-heading">{describeCount(count, "change")}</h2>
      {features.map(({ name, changes }) => (
        <section key={name} className="card" aria-label={name}>
          <h3 className="request-change">
            <Link to="/projects/$project/flags/$flag" params={{ project, flag: name }}>
              {name}
            </Link>
          </h3>
          {changes.map((change) => show(change, name))}
        </section>
      ))}
      {segments.length === 0 ? null : (
        <section className="card" aria-label="Other changes">
          <h3 className="request-change">Other changes</h3>
          {segments.map((change) => show(change, ""))}
        </section>
      )}
    </section>
  );
}

function changesOf({ features, segments }: ChangeRequest): readonly RequestedChange[] {
  return [...features.flatMap(({ changes }) => changes), ...segments];
}

type Conflict = NonNullable<RequestedChange["conflicts"]>[number];

interface ChangeProps {
  readonly request: ChangeRequest;
  readonly change: RequestedChange;
  readonly flag: string;
  readonly conflicts: readonly Conflict[];
  readonly canEdit: boolean;
}

function Change({ request, change, flag, conflicts, canEdit }: ChangeProps) {
  const [isRemoving, setRemoving] = useState(false);
  const [isEditing, setEditing] = useState(false);
  const { environment } = request;
  const sentence = describeRequestedChange({ change, flag, environment });
  const path = adminPath`/projects/${request.project}/change-requests/${String(request.id)}/changes/${String(change.id)}`;
  const removal = useChange({
    run: () => send(path, { method: "DELETE" }),
    invalidates: [["change-requests"]],
    success: () => "Removed the change",
    showsErrors: true,
  });
  return (
    <div className="request-change">
      <div className="request-change-head">
        <p>{sentence}</p>
        {canEdit ? (
          <div className="request-change-actions">
            {isEditable(change) ? (
              <Button
                size="small"
                variant="quiet"
                aria-label={`Edit the change: ${sentence}`}
                onPress={() => setEditing(true)}
              >
                Edit
              </Button>
            ) : null}
            <Button
              size="small"
              variant="quiet"
              aria-label={`Remove the change: ${sentence}`}
              onPress={() => setRemoving(true)}
            >
              Remove
            </Button>
          </div>
        ) : null}
      </div>
      <div className="request-change-body">
        <ChangeEvents events={change.events} />
        {conflicts.length === 0 ? null : (
          <ConflictNote path={path} change={change} conflicts={conflicts} canEdit={canEdit} />
        )}
      </div>
      {isEditing ? (
        <EditChangeDialog
          request={request}
          change={change}
          flag={flag}
          path={path}
          onClose={() => setEditing(false)}
        />
      ) : null}
      {isRemoving ? (
        <ConfirmDialog
          title="Remove the change?"
          submit="Remove"
          isPending={removal.isPending}
          error={removal.error}
          onClose={() => setRemoving(false)}
          onConfirm={() => removal.mutate(undefined, { onSuccess: () => setRemoving(false) })}
        >
          <p>
            {sentence}.{" "}
            {request.approvals.length === 0 ? "" : "The approvals that the request has are void."}
          </p>
        </ConfirmDialog>
      ) : null}
    </div>
  );
}

interface ConflictNoteProps extends Pick<ChangeProps, "canEdit" | "change" | "conflicts"> {
  readonly path: string;
}

/** What somebody else has changed since a change was requested, with both versions. */
function ConflictNote({ path, change, conflicts, canEdit }: ConflictNoteProps) {
  const renewal = useChange({
    run: () => send(path, { method: "PUT", body: { payload: change.payload } }),
    invalidates: [["change-requests"]],
    success: () => "The change is now based on the current state",
  });
  return (
    <Banner kind="error">
      <div className="request-conflict">
        <p>Somebody has changed the same since this was requested, so it cannot be applied:</p>
        <div className="request-table-frame">
          <table className="table event-differences">
            <thead>
              <tr>
                <th scope="col">Field</th>
                <th scope="col">When requested</th>
                <th scope="col">Now</th>
              </tr>
            </thead>
            <tbody>
              {conflicts.map(({ field, was, now }) => (
                <tr key={field}>
                  <th scope="row">{field === "" ? "value" : describePath(field.split("."))}</th>
                  <td>{describeValue(was)}</td>
                  <td>{describeValue(now)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
        {canEdit && !change.action.startsWith("import") ? (
          <>
            <p>Remove the change, or request it again: then others have to approve it again.</p>
            <Button size="small" isPending={renewal.isPending} onPress={() => renewal.mutate()}>
              Request it again
            </Button>
          </>
        ) : null}
      </div>
    </Banner>
  );
}

function isEditable({ action }: Pick<RequestedChange, "action">): boolean {
  return EDITABLE.includes(action);
}
