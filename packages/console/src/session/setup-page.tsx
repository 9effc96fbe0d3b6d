import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useRouteContext } from "@tanstack/react-router";
import { useState } from "react";
import { ApiError, request } from "../api/request.ts";
import { Loaded } from "../ui/loaded.tsx";
import { TextField } from "../ui/fields.tsx";
import { ServerForm } from "../ui/server-form.tsx";
import { EntryPage } from "./entry-page.tsx";
import { NewPasswordField } from "./new-password-field.tsx";
import { readSession, sessionQuery, signInOptionsQuery } from "./session.ts";
import { SubmitButton } from "./sign-in-form.tsx";
import { USER_SUBJECTS } from "./user-subjects.ts";

/** Creates the first account, with the code that the service has printed. */
export function SetupPage() {
  const { code = "" } = useRouteContext({ from: "/setup" });
  const options = useQuery(signInOptionsQuery);
  const isDone = options.data?.setup === false;
  return (
    <EntryPage
      title={isDone ? "The service is set up already" : "Set up flags"}
      description={
        isDone
          ? undefined
          : "Create the first account. It is that of an admin, who invites the others."
      }
      help={
        isDone ? undefined : (
          <p>
            The service prints the setup link when it starts. It works for 24 hours;{" "}
            <code>flags-admin setup-code</code> prints another one.
          </p>
        )
      }
    >
      <Loaded query={options}>
        {({ setup }) => (setup ? <SetupForm key={code} code={code} /> : <SetUpAlready />)}
      </Loaded>
    </EntryPage>
  );
}

function SetUpAlready() {
  return (
    <>
      <p>Somebody has created the first account, or the service is administered in another way.</p>
      <Link to="/sign-in" className="button button-primary entry-action">
        Sign in
      </Link>
    </>
  );
}

const WRONG_CODE =
  "The setup code is wrong or has expired. Copy it from the last link that the service has printed.";

function SetupForm({ code }: { readonly code: string }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [typedCode, setTypedCode] = useState(code);
  const [username, setUsername] = useState("");
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const setup = useMutation({
    mutationFn: async () => {
      const body = {
        code: typedCode.trim(),
        username: username.trim(),
        ...(email.trim() !== "" && { email: email.trim() }),
        password,
      };
      await request("auth/setup", { method: "POST", body }).catch(explainWrongCode);
      return readSession();
    },
    onSuccess: (session) => {
      client.setQueryData(sessionQuery.queryKey, session);
      void navigate({ to: "/", replace: true });
    },
    // Somebody else may have been first.
    onError: () => void client.invalidateQueries({ queryKey: signInOptionsQuery.queryKey }),
  });
  const isCodeWrong = setup.error?.message === WRONG_CODE;
  return (
    <ServerForm
      className="stack entry-form"
      error={setup.error}
      subjects={USER_SUBJECTS}
      onSubmit={() => setup.mutate()}
      footer={<SubmitButton isPending={setup.isPending}>Create the account</SubmitButton>}
    >
      {code === "" || isCodeWrong ? (
        <TextField
          label="Setup code"
          name="code"
          value={typedCode}
          onChange={setTypedCode}
          isRequired
          autoFocus
          autoComplete="off"
          isCode
          description="The end of the setup link, after the character #."
        />
      ) : null}
      <TextField
        label="User name"
        name="username"
        autoComplete="username"
        value={username}
        onChange={setUsername}
        isRequired
        autoFocus={code !== ""}
        maxLength={100}
        description="Events show it next to what you change."
      />
      <TextField
        label="Email address (optional)"
        name="email"
        autoComplete="email"
        value={email}
        onChange={setEmail}
        maxLength={254}
        description="You can sign in with it too. The service sends no mail."
      />
      <NewPasswordField value={password} onChange={setPassword} names={[username, email]} />
    </ServerForm>
  );
}

function explainWrongCode(error: unknown): never {
  if (!(error instanceof ApiError && error.status === 401)) throw error;
  throw new Error(WRONG_CODE, { cause: error });
}
