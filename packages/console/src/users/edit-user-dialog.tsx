import { useState } from "react";
import { adminPath, request } from "../api/request.ts";
import type { RootRole, User } from "../api/types.ts";
import { useChange } from "../changes/use-change.ts";
import { USER_SUBJECTS } from "../session/user-subjects.ts";
import { Banner } from "../ui/banner.tsx";
import { FormDialog } from "../ui/dialog.tsx";
import { type UserDraft, UserFields } from "./user-fields.tsx";
import { nameOfUser } from "./user-names.ts";

interface EditUserDialogProps {
  readonly user: User;
  /** Whether it is the account of the person who edits it. */
  readonly isOwn: boolean;
  readonly roles: readonly RootRole[];
  readonly onClose: () => void;
}

/** Changes the names and the role of an account. */
export function EditUserDialog({ user, isOwn, roles, onClose }: EditUserDialogProps) {
  const [original] = useState(() => toDraft(user));
  const [draft, setDraft] = useState(original);
  const path = adminPath`/user-admin/${String(user.id)}`;
  const change = useChange({
    run: () => request(path, { method: "PUT", body: findChanges(original, draft) }),
    invalidates: [["users"]],
    success: () => `Changed ${nameOfUser(user)}`,
    ...(!isOwn && {
      undo: () => request(path, { method: "PUT", body: findChanges(draft, original) }),
    }),
    showsErrors: true,
  });
  return (
    <FormDialog
      title={`Edit ${nameOfUser(user)}`}
      submit="Save"
      draft={draft}
      onClose={onClose}
      isPending={change.isPending}
      error={change.error}
      subjects={USER_SUBJECTS}
      onSubmit={() => change.mutate(undefined, { onSuccess: onClose })}
    >
      <UserFields
        draft={draft}
        onChange={setDraft}
        roles={roles}
        hasFixedNames={user.kind === "openid"}
      />
      {isOwn && draft.rootRole !== original.rootRole ? (
        <Banner kind="warning">
          This is your own account. You lose what only the role {roleOf(roles, original)} allows,
          and cannot take it back yourself.
        </Banner>
      ) : null}
    </FormDialog>
  );
}

function toDraft({ username, email, name, rootRole }: User): UserDraft {
  return { username: username ?? "", email: email ?? "", name: name ?? "", rootRole };
}

/** NOTE: a name that somebody else has changed in the meantime stays as it is. */
function findChanges(from: UserDraft, to: UserDraft): Partial<UserDraft> {
  const entries = Object.entries(to).map(([key, value]) => [
    key,
    typeof value === "string" ? value.trim() : value,
  ]);
  return Object.fromEntries(
    entries.filter(
      ([key, value]) =>
        value !== from[key as keyof UserDraft] &&
        // A user name and an email address can be replaced, but not removed.
        (value !== "" || key === "name"),
    ),
  ) as Partial<UserDraft>;
}

function roleOf(roles: readonly RootRole[], { rootRole }: UserDraft): string {
  return roles.find(({ id }) => id === rootRole)?.name.toLowerCase() ?? "";
}
