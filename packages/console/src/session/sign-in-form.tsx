import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { Banner } from "../ui/banner.tsx";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/fields.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { PasswordField } from "../ui/password-field.tsx";
import { ServerForm } from "../ui/server-form.tsx";
import {
  isSignedOut,
  type Session,
  sessionQuery,
  type SignInOptions,
  signInOptionsQuery,
  signInWithPassword,
  signInWithToken,
} from "./session.ts";
import "./entry-page.css";

interface SignInFormProps {
  /** The path of the console to which a sign-in with OpenID Connect leads. */
  readonly returnTo: string;
  /** Whether a sign-in with OpenID Connect opens a new tab, so that this page stays open. @default false */
  readonly opensTab?: boolean;
  readonly onSignedIn?: () => void;
  /** Why people have to sign in. Shown until they have tried to. */
  readonly reason: string | undefined;
}

/** The ways to sign in that the service offers: with a password, with OpenID Connect, and with a token. */
export function SignInForm(props: SignInFormProps) {
  const options = useQuery(signInOptionsQuery);
  return (
    <Loaded query={options}>{(offered) => <OfferedWays {...props} offered={offered} />}</Loaded>
  );
}

interface OfferedWaysProps extends SignInFormProps {
  readonly offered: SignInOptions;
}

function OfferedWays({
  offered,
  returnTo,
  opensTab = false,
  onSignedIn,
  reason,
}: OfferedWaysProps) {
  const { password, setup, openIdConnect } = offered;
  const [hasTried, setTried] = useState(false);
  const attempt = { onTry: () => setTried(true), onSignedIn };
  return (
    <>
      {reason === undefined || hasTried ? null : <Banner kind="error">{reason}</Banner>}
      {setup ? <SetupHint /> : null}
      {password ? <PasswordForm {...attempt} /> : null}
      {password && openIdConnect !== null ? <p className="entry-or">or</p> : null}
      {openIdConnect === null ? null : (
        <a
          className={`button entry-action ${password ? "" : "button-primary"}`}
          href={`auth/openid/start?returnTo=${encodeURIComponent(returnTo)}`}
          {...(opensTab && { target: "_blank" })}
        >
          Continue with {openIdConnect.name}
          {opensTab ? " in a new tab" : ""}
        </a>
      )}
      {password || setup ? (
        <details className="entry-fold">
          <summary>Sign in with an API token</summary>
          <TokenForm {...attempt} />
        </details>
      ) : (
        <TokenForm {...attempt} autoFocus />
      )}
    </>
  );
}

/** What to do while nobody can administer the service. */
function SetupHint() {
  return (
    <Banner kind="info">
      <p>Nobody can administer this service yet.</p>
      <p>
        Open the setup link that it printed when it started, in the output of the service. The
        command <code>flags-admin setup-code</code> prints another one.
      </p>
      <Link to="/setup">I have a setup code</Link>
    </Banner>
  );
}

interface AttemptProps {
  readonly onTry: () => void;
  readonly onSignedIn: (() => void) | undefined;
}

function useSignIn({ onTry, onSignedIn }: AttemptProps, run: () => Promise<Session>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: run,
    onMutate: onTry,
    onSuccess: (session) => {
      client.setQueryData(sessionQuery.queryKey, session);
      onSignedIn?.();
    },
  });
}

function PasswordForm(attempt: AttemptProps) {
  const [login, setLogin] = useState("");
  const [password, setPassword] = useState("");
  const submission = useSignIn(attempt, () => signInWithPassword(login, password));
  return (
    <ServerForm
      className="stack entry-form"
      error={submission.error}
      onSubmit={() => submission.mutate()}
      footer={<SubmitButton isPending={submission.isPending}>Sign in</SubmitButton>}
    >
      <TextField
        label="User name or email address"
        name="username"
        autoComplete="username"
        value={login}
        onChange={setLogin}
        isRequired
        autoFocus
      />
      <PasswordField
        label="Password"
        name="password"
        autoComplete="current-password"
        value={password}
        onChange={setPassword}
      />
    </ServerForm>
  );
}

interface TokenFormProps extends AttemptProps {
  readonly autoFocus?: boolean;
}

function TokenForm({ autoFocus = false, ...attempt }: TokenFormProps) {
  const [token, setToken] = useState("");
  const submission = useSignIn(attempt, async () => {
    const session = await signInWithToken(token.trim()).catch(explainRefusal);
    setToken("");
    return session;
  });
  return (
    <ServerForm
      className="stack entry-form"
      error={submission.error}
      onSubmit={() => submission.mutate()}
      footer={<SubmitButton isPending={submission.isPending}>Sign in with the token</SubmitButton>}
    >
      <TextField
        label="API token"
        name="token"
        type="password"
        autoComplete="off"
        value={token}
        onChange={setToken}
        isRequired
        autoFocus={autoFocus}
        description="A token of type admin, editor or viewer. The browser keeps only a session, not the token."
      />
    </ServerForm>
  );
}

function explainRefusal(error: unknown): never {
  if (!isSignedOut(error)) throw error;
  throw new Error(
    "This token is unknown, expired or deleted. Make sure you copied the whole token.",
    { cause: error },
  );
}

interface SubmitButtonProps {
  readonly isPending: boolean;
  readonly children: ReactNode;
}

/** The button below the fields of a form for people who are not signed in. */
export function SubmitButton({ isPending, children }: SubmitButtonProps) {
  return (
    <Button type="submit" variant="primary" isPending={isPending}>
      {children}
    </Button>
  );
}
