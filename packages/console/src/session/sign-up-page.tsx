import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { request } from "../api/request.ts";
import { Loading } from "../ui/loaded.tsx";
import { TextField } from "../ui/fields.tsx";
import { ServerForm } from "../ui/server-form.tsx";
import { EntryPage } from "./entry-page.tsx";
import { LinkProblem } from "./link-problem.tsx";
import { NewPasswordField } from "./new-password-field.tsx";
import { sessionQuery, signInWithPassword } from "./session.ts";
import { SubmitButton } from "./sign-in-form.tsx";
import { USER_SUBJECTS } from "./user-subjects.ts";

interface SignUpPageProps {
  /** The secret of an invite link. */
  readonly invite: string;
}

/** Creates an account of a viewer with an invite link. */
export function SignUpPage({ invite }: SignUpPageProps) {
  const path = `invite/${encodeURIComponent(invite)}`;
  const link = useQuery({
    queryKey: ["opened-invite", invite],
    queryFn: async () => {
      await request(`${path}/validate`);
      return true;
    },
    staleTime: Infinity,
    retry: false,
  });
  if (link.error !== null) return <LinkProblem error={link.error} />;
  return (
    <EntryPage
      title="Create your account"
      description="Your role will be viewer: you can look at flags. An admin can let you change them."
    >
      {link.data === undefined ? <Loading /> : <SignUpForm path={`${path}/signup`} />}
    </EntryPage>
  );
}

function SignUpForm({ path }: { readonly path: string }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [email, setEmail] = useState("");
  const [username, setUsername] = useState("");
  const [password, setPassword] = useState("");
  const signUp = useMutation({
    mutationFn: async () => {
      const body = {
        email: email.trim(),
        ...(username.trim() !== "" && { username: username.trim() }),
        password,
      };
      await request(path, { method: "POST", body });
      return signInWithPassword(email, password);
    },
    onSuccess: (session) => {
      client.setQueryData(sessionQuery.queryKey, session);
      void navigate({ to: "/", replace: true });
    },
  });
  return (
    <ServerForm
      className="stack entry-form"
      error={signUp.error}
      subjects={USER_SUBJECTS}
      onSubmit={() => signUp.mutate()}
      footer={<SubmitButton isPending={signUp.isPending}>Create the account</SubmitButton>}
    >
      <TextField
        label="Email address"
        name="email"
        autoComplete="email"
        value={email}
        onChange={setEmail}
        isRequired
        autoFocus
        maxLength={254}
      />
      <TextField
        label="User name (optional)"
        name="username"
        autoComplete="username"
        value={username}
        onChange={setUsername}
        maxLength={100}
        description="Events show it next to what you change, instead of your email address."
      />
      <NewPasswordField value={password} onChange={setPassword} names={[username, email]} />
    </ServerForm>
  );
}
