import { useState } from "react";
import { adminPath, request } from "../api/request.ts";
import type { User } from "../api/types.ts";
import { DeleteDialog } from "../changes/delete-dialog.tsx";
import { useChange } from "../changes/use-change.ts";
import { Banner } from "../ui/banner.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { PasswordLink } from "./password-link.tsx";
import { nameOfUser } from "./user-names.ts";

interface UserDialogProps {
  readonly user: User;
  readonly onClose: () => void;
}

/** Creates a link with which a user chooses a password, after a confirmation, because it replaces the previous one. */
export function CreateLinkDialog({ user, onClose }: UserDialogProps) {
  // NOTE: only here, in no cache and in no storage, so that it is gone when the dialog closes.
  const [link, setLink] = useState<string>();
  const name = nameOfUser(user);
  const creation = useChange({
    run: async () => {
      const { resetPasswordUrl } = await request<{ readonly resetPasswordUrl: string }>(
        adminPath`/user-admin/reset-password`,
        { method: "POST", body: { id: String(user.id) } },
      );
      setLink(resetPasswordUrl);
    },
    invalidates: [["users"]],
    showsErrors: true,
  });
  if (link !== undefined) {
    return <PasswordLink name={name} isInvite={!user.hasPassword} link={link} onClose={onClose} />;
  }
  return (
    <ConfirmDialog
      title={user.hasPassword ? `A new password for ${name}?` : `A new invitation for ${name}?`}
      submit="Create the link"
      isDangerous={false}
      isPending={creation.isPending}
      error={creation.error}
      onClose={onClose}
      onConfirm={() => creation.mutate()}
    >
      <p>
        {user.hasPassword
          ? "With the link, the user chooses a new password. The current one works until then. Previous links stop working at once."
          : "Previous links stop working at once."}
      </p>
    </ConfirmDialog>
  );
}

/** Disables an account, which can be undone. */
export function DisableUserDialog({ user, onClose }: UserDialogProps) {
  const name = nameOfUser(user);
  const disabling = useChange({
    run: () => setDisabled(user, true),
    invalidates: [["users"], ["sessions"]],
    success: () => `Disabled ${name}`,
    showsErrors: true,
  });
  return (
    <ConfirmDialog
      title={`Disable ${name}?`}
      submit="Disable"
      isPending={disabling.isPending}
      error={disabling.error}
      onClose={onClose}
      onConfirm={() => disabling.mutate(undefined, { onSuccess: onClose })}
    >
      <p>
        {name} is signed out everywhere at once, and can no longer sign in. Personal tokens of{" "}
        {name} stop working. You can enable the account again: it keeps its roles and tokens.
      </p>
    </ConfirmDialog>
  );
}

export function setDisabled({ id }: User, disabled: boolean): Promise<unknown> {
  return request(adminPath`/user-admin/${String(id)}`, { method: "PUT", body: { disabled } });
}

interface DeleteUserDialogProps extends UserDialogProps {
  /** Whether it is the account of the person who deletes it. */
  readonly isOwn: boolean;
}

/** Deletes an account permanently. */
export function DeleteUserDialog({ user, isOwn, onClose }: DeleteUserDialogProps) {
  const name = nameOfUser(user);
  return (
    <DeleteDialog
      subject={`the account of ${name}`}
      path={adminPath`/user-admin/${String(user.id)}`}
      invalidates={[["users"], ["sessions"]]}
      onClose={onClose}
    >
      {isOwn ? (
        <Banner kind="warning">This is your own account. Deleting it signs you out at once.</Banner>
      ) : null}
      <p>
        {name} is signed out everywhere at once, and can no longer sign in. The personal tokens and
        the roles in projects are deleted too. Events keep the name. Nothing of this can be undone:
        disable the account instead if {name} may come back.
      </p>
      {user.kind === "openid" ? (
        <p>As long as the OpenID provider knows {name}, the next sign-in creates a new account.</p>
      ) : null}
    </DeleteDialog>
  );
}
