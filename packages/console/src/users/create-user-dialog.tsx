import { useState } from "react";
import { adminPath, request } from "../api/request.ts";
import type { RootRole } from "../api/types.ts";
import { useChange } from "../changes/use-change.ts";
import { USER_SUBJECTS } from "../session/user-subjects.ts";
import { FormDialog } from "../ui/dialog.tsx";
import { PasswordLink } from "./password-link.tsx";
import { type UserDraft, UserFields } from "./user-fields.tsx";
import { VIEWER_ID } from "./user-names.ts";

interface CreateUserDialogProps {
  readonly roles: readonly RootRole[];
  readonly onClose: () => void;
}

const EMPTY: UserDraft = { username: "", email: "", name: "", rootRole: VIEWER_ID };

/** Creates an account and shows once the link with which its user chooses a password. */
export function CreateUserDialog({ roles, onClose }: CreateUserDialogProps) {
  const [draft, setDraft] = useState(EMPTY);
  // NOTE: only here, in no cache and in no storage, so that it is gone when the dialog closes.
  const [link, setLink] = useState<string>();
  const { username, email, name } = draft;
  const creation = useChange({
    run: async () => {
      const created = await request<{ readonly inviteLink: string }>(adminPath`/user-admin`, {
        method: "POST",
        body: {
          ...(username.trim() !== "" && { username: username.trim() }),
          ...(email.trim() !== "" && { email: email.trim() }),
          ...(name.trim() !== "" && { name: name.trim() }),
          rootRole: draft.rootRole,
        },
      });
      setLink(created.inviteLink);
    },
    invalidates: [["users"]],
    showsErrors: true,
  });
  if (link !== undefined) {
    const shown = [name, username, email].find((text) => text.trim() !== "") ?? "";
    return <PasswordLink name={shown.trim()} isInvite link={link} onClose={onClose} />;
  }
  return (
    <FormDialog
      title="New user"
      submit="Create user"
      draft={draft}
      onClose={onClose}
      isPending={creation.isPending}
      error={creation.error}
      subjects={USER_SUBJECTS}
      onSubmit={() => creation.mutate()}
    >
      <UserFields draft={draft} onChange={setDraft} roles={roles} />
    </FormDialog>
  );
}
