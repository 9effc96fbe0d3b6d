import { useState } from "react";
import type { RootRole, User } from "../api/types.ts";
import { useChange } from "../changes/use-change.ts";
import { Badge } from "../ui/badge.tsx";
import { type Column, DataTable } from "../ui/data-table.tsx";
import { menuColumn } from "../ui/menu.tsx";
import { Time } from "../ui/time.tsx";
import { EditUserDialog } from "./edit-user-dialog.tsx";
import {
  CreateLinkDialog,
  DeleteUserDialog,
  DisableUserDialog,
  setDisabled,
} from "./user-actions.tsx";
import { nameOfUser, otherNames, roleNameOf } from "./user-names.ts";

interface Action {
  readonly kind: "delete" | "disable" | "edit" | "link";
  readonly user: User;
}

interface UserTableProps {
  readonly users: readonly User[];
  readonly roles: readonly RootRole[];
  /** The id of the account of the person who looks at it; null for a token. */
  readonly ownId: number | null;
}

/** Accounts, with actions for admins. */
export function UserTable({ users, roles, ownId }: UserTableProps) {
  const [action, setAction] = useState<Action>();
  const onClose = (): void => setAction(undefined);
  const enabling = useChange<User>({
    run: (user) => setDisabled(user, false),
    invalidates: [["users"]],
    success: (user) => `Enabled ${nameOfUser(user)}`,
    undo: (user) => setDisabled(user, true),
  });
  const actions: Column<User> = menuColumn<User>(nameOfUser, (user) => [
    { label: "Edit", run: () => setAction({ kind: "edit", user }) },
    ...(user.kind === "openid" || user.disabled
      ? []
      : [
          {
            label: user.hasPassword
              ? "Create a link for a new password"
              : "Create a new invitation",
            run: () => setAction({ kind: "link", user }),
          },
        ]),
    user.disabled
      ? { label: "Enable", run: () => enabling.mutate(user) }
      : { label: "Disable", run: () => setAction({ kind: "disable", user }) },
    { label: "Delete", isDangerous: true, run: () => setAction({ kind: "delete", user }) },
  ]);
  return (
    <>
      <DataTable
        label="Users"
        rows={users}
        keyOf={({ id }) => String(id)}
        columns={[...columnsFor(roles, ownId), actions]}
      />
      {action?.kind === "edit" ? (
        <EditUserDialog
          user={action.user}
          isOwn={action.user.id === ownId}
          roles={roles}
          onClose={onClose}
        />
      ) : null}
      {action?.kind === "link" ? <CreateLinkDialog user={action.user} onClose={onClose} /> : null}
      {action?.kind === "disable" ? (
        <DisableUserDialog user={action.user} onClose={onClose} />
      ) : null}
      {action?.kind === "delete" ? (
        <DeleteUserDialog user={action.user} isOwn={action.user.id === ownId} onClose={onClose} />
      ) : null}
    </>
  );
}

const TIME_WIDTH = "clamp(7.5rem, 12.5vw, 10rem)";

function columnsFor(roles: readonly RootRole[], ownId: number | null): readonly Column<User>[] {
  return [
    {
      id: "name",
      header: "Name",
      isRowHeader: true,
      cell: (user) => (
        <span>
          {nameOfUser(user)} {user.id === ownId ? <Badge kind="accent">you</Badge> : null}
          {user.disabled ? <Badge kind="bad">disabled</Badge> : null}
          <p className="data-detail user-names">{otherNames(user)}</p>
        </span>
      ),
    },
    {
      id: "role",
      header: "Role",
      width: "7rem",
      cell: ({ rootRole }) => <Badge>{roleNameOf(roles, rootRole)}</Badge>,
    },
    {
      id: "sign-in",
      header: "Signs in with",
      width: "11rem",
      cell: (user) => <SignInKind user={user} />,
    },
    {
      id: "seen",
      header: "Last seen",
      width: TIME_WIDTH,
      cell: ({ seenAt }) =>
        seenAt === null ? <span className="muted">never</span> : <Time value={seenAt} />,
    },
    {
      id: "created",
      header: "Created",
      width: TIME_WIDTH,
      cell: ({ createdAt }) => <Time value={createdAt} />,
    },
  ];
}

function SignInKind({ user: { kind, hasPassword, invited } }: { readonly user: User }) {
  if (kind === "openid") return "OpenID Connect";
  if (hasPassword) return "a password";
  return invited ? <Badge kind="accent">invited</Badge> : <Badge kind="warning">no password</Badge>;
}
