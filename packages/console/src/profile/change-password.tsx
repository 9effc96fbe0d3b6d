import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { queries } from "../api/queries.ts";
import { adminPath, ApiError, request } from "../api/request.ts";
import { useChange } from "../changes/use-change.ts";
import { NewPasswordField } from "../session/new-password-field.tsx";
import { USER_SUBJECTS } from "../session/user-subjects.ts";
import { Button } from "../ui/button.tsx";
import { PasswordField } from "../ui/password-field.tsx";
import { ServerForm } from "../ui/server-form.tsx";

/** Replaces the own password. */
export function ChangePassword() {
  const { data: account } = useQuery(queries.ownAccount());
  const login = account?.username ?? account?.email ?? "";
  const [oldPassword, setOldPassword] = useState("");
  const [password, setPassword] = useState("");
  // NOTE: fields that are cleared must not complain that they are empty.
  const [changes, setChanges] = useState(0);
  const change = useChange({
    run: () =>
      request(adminPath`/user/change-password`, {
        method: "POST",
        body: { oldPassword, password, confirmPassword: password },
      }).catch(explainMismatch),
    invalidates: [["sessions"]],
    success: () => "Changed your password. Your other sessions have ended",
    showsErrors: true,
  });
  return (
    <section className="profile-section" aria-labelledby="password-heading">
      <h2 id="password-heading">Password</h2>
      <p className="muted">A new password ends all your other sessions.</p>
      <ServerForm
        key={changes}
        error={change.error}
        subjects={USER_SUBJECTS}
        onSubmit={() =>
          change.mutate(undefined, {
            onSuccess: () => {
              setOldPassword("");
              setPassword("");
              setChanges(changes + 1);
            },
          })
        }
        footer={
          <div>
            <Button type="submit" isPending={change.isPending}>
              Change the password
            </Button>
          </div>
        }
      >
        {/* Password managers need to know whose password it is. */}
        <input type="text" name="username" autoComplete="username" value={login} readOnly hidden />
        <PasswordField
          label="Current password"
          name="oldPassword"
          autoComplete="current-password"
          value={oldPassword}
          onChange={setOldPassword}
        />
        <NewPasswordField
          label="New password"
          value={password}
          onChange={setPassword}
          names={[account?.username ?? "", account?.email ?? "", account?.name ?? ""]}
        />
      </ServerForm>
    </section>
  );
}

function explainMismatch(error: unknown): never {
  if (!(error instanceof ApiError && error.name === "PasswordMismatch")) throw error;
  throw new Error("The current password is wrong.", { cause: error });
}
