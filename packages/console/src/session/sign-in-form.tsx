import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Form } from "react-aria-components/Form";
import { Banner } from "../ui/banner.tsx";
import { Button } from "../ui/button.tsx";
import { describeError } from "../ui/describe-error.ts";
import { TextField } from "../ui/fields.tsx";
import { isSignedOut, sessionQuery, signIn, signInOptionsQuery } from "./session.ts";

interface SignInFormProps {
  /** The path of the console to which a sign-in with OpenID Connect leads. */
  readonly returnTo: string;
  /** Whether a sign-in with OpenID Connect opens a new tab, so that this page stays open. @default false */
  readonly opensTab?: boolean;
  readonly onSignedIn?: () => void;
  /** Why people have to sign in. Shown until they have tried to. */
  readonly reason: string | undefined;
}

/** Signs in with OpenID Connect, if the service has a provider, or with a token. */
export function SignInForm({ returnTo, opensTab = false, onSignedIn, reason }: SignInFormProps) {
  const client = useQueryClient();
  const { data: options } = useQuery(signInOptionsQuery);
  const [token, setToken] = useState("");
  const submission = useMutation({
    mutationFn: () => signIn(token.trim()),
    onSuccess: (session) => {
      setToken("");
      client.setQueryData(sessionQuery.queryKey, session);
      onSignedIn?.();
    },
  });
  return (
    <>
      {reason === undefined || submission.error !== null ? null : (
        <Banner kind="error">{reason}</Banner>
      )}
      {options?.openIdConnect ? (
        <a
          className="button button-primary"
          href={`auth/openid/start?returnTo=${encodeURIComponent(returnTo)}`}
          {...(opensTab && { target: "_blank" })}
        >
          Continue with {options.openIdConnect.name}
          {opensTab ? " in a new tab" : ""}
        </a>
      ) : null}
      <Form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          submission.mutate();
        }}
      >
        <TextField
          label="API token"
          name="token"
          type="password"
          autoComplete="off"
          value={token}
          onChange={setToken}
          isRequired
          autoFocus
          description="A token of type admin, editor or viewer. The browser keeps only a session, not the token."
        />
        {submission.error === null ? null : (
          <Banner kind="error">{describeRefusal(submission.error)}</Banner>
        )}
        <div>
          <Button type="submit" variant="primary" isPending={submission.isPending}>
            Sign in
          </Button>
        </div>
      </Form>
    </>
  );
}

function describeRefusal(error: Error): string {
  return isSignedOut(error)
    ? "This token is unknown, expired or deleted. Make sure you copied the whole token."
    : describeError(error);
}
