import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useRouteContext } from "@tanstack/react-router";
import { useState } from "react";
import { request } from "../api/request.ts";
import { Banner } from "../ui/banner.tsx";
import { TextField } from "../ui/fields.tsx";
import { Loading } from "../ui/loaded.tsx";
import { ServerForm } from "../ui/server-form.tsx";
import { EntryPage } from "./entry-page.tsx";
import { LinkProblem } from "./link-problem.tsx";
import { NewPasswordField } from "./new-password-field.tsx";
import { sessionQuery, signInWithPassword } from "./session.ts";
import { SignUpPage } from "./sign-up-page.tsx";
import { SubmitButton } from "./sign-in-form.tsx";
import { USER_SUBJECTS } from "./user-subjects.ts";

/** Whose password a link chooses. */
interface LinkUser {
  readonly name: string | null;
  readonly username: string | null;
  readonly email: string | null;
  readonly kind: string;
  readonly createdBy: string;
  readonly role: { readonly name: string };
}

/** Opened by the link of an invited user, or by an invite link for several people. */
export function NewUserPage() {
  const { token, invite } = useRouteContext({ from: "/new-user" });
  return invite === undefined ? (
    <ChoosePassword key={token} token={token} />
  ) : (
    <SignUpPage key={invite} invite={invite} />
  );
}

/** Opened by the link of a user who has forgotten the password. */
export function ResetPasswordPage() {
  const { token } = useRouteContext({ from: "/reset-password" });
  return <ChoosePassword key={token} token={token} />;
}

function ChoosePassword({ token }: { readonly token: string | undefined }) {
  const user = useQuery({
    queryKey: ["opened-link", token],
    queryFn: () =>
      request<LinkUser>(`auth/reset/validate?token=${encodeURIComponent(token ?? "")}`),
    enabled: token !== undefined,
    staleTime: Infinity,
    retry: false,
  });
  if (token === undefined) return <LinkProblem error={undefined} />;
  if (user.error !== null) return <LinkProblem error={user.error} />;
  if (user.data === undefined) {
    return (
      <EntryPage title="Choose a password">
        <Loading />
      </EntryPage>
    );
  }
  return <ChoosePasswordForm token={token} user={user.data} />;
}

interface ChoosePasswordFormProps {
  readonly token: string;
  readonly user: LinkUser;
}

function ChoosePasswordForm({ token, user }: ChoosePasswordFormProps) {
  const { name, username, email, kind, createdBy, role } = user;
  const login = username ?? email ?? "";
  const client = useQueryClient();
  const navigate = useNavigate();
  const { data: session } = useQuery({ ...sessionQuery, refetchInterval: false });
  const [password, setPassword] = useState("");
  const choice = useMutation({
    mutationFn: async () => {
      await request("auth/reset/password", { method: "POST", body: { token, password } });
      return signInWithPassword(login, password);
    },
    onSuccess: (started) => {
      client.setQueryData(sessionQuery.queryKey, started);
      void navigate({ to: "/", replace: true });
    },
  });
  const isInvite = kind === "invite";
  return (
    <EntryPage
      title={isInvite ? `Welcome, ${name ?? login}` : "Choose a new password"}
      description={
        isInvite
          ? `${createdBy} has created an account for you, with the role ${role.name.toLowerCase()}. Choose a password to use it.`
          : "All your sessions will end."
      }
    >
      {session === undefined ? null : (
        <Banner kind="warning">
          You are signed in as {session.user.name} in this browser. With the new password, you will
          be signed in as {name ?? login} instead.
        </Banner>
      )}
      <ServerForm
        className="stack entry-form"
        error={choice.error}
        subjects={USER_SUBJECTS}
        onSubmit={() => choice.mutate()}
        footer={
          <SubmitButton isPending={choice.isPending}>
            {isInvite ? "Choose this password" : "Change the password"}
          </SubmitButton>
        }
      >
        <TextField
          label={username === null ? "Email address" : "User name"}
          name="username"
          autoComplete="username"
          value={login}
          onChange={() => undefined}
          isReadOnly
        />
        <NewPasswordField
          value={password}
          onChange={setPassword}
          names={[username ?? "", email ?? "", name ?? ""]}
          autoFocus
        />
      </ServerForm>
    </EntryPage>
  );
}
