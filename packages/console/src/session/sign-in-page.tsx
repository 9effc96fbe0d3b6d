import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRouter, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { Form } from "react-aria-components/Form";
import { Banner } from "../ui/banner.tsx";
import { describeError } from "../ui/describe-error.ts";
import { ApiError } from "../api/request.ts";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/fields.tsx";
import { ownValue } from "../ui/own-value.ts";
import { Page } from "../ui/page.tsx";
import { sessionQuery, signIn, signInOptionsQuery } from "./session.ts";
import "./sign-in-page.css";

/** Why people have to sign in (again), by the code in the address: from this console, or from the service. */
const PROBLEMS: Readonly<Record<string, string>> = {
  ended: "You are no longer signed in. Sign in again to return to the page.",
  denied: "The provider rejected the sign-in, or it was cancelled.",
  forbidden: "Your account has no role in this console. An administrator can give you one.",
  expired: "The sign-in took too long, or it was started in another window. Try again.",
  unavailable: "The provider cannot be reached at the moment. Try again, or sign in with a token.",
};

export function SignInPage() {
  const client = useQueryClient();
  const router = useRouter();
  const { returnTo = "/", problem } = useSearch({ from: "/sign-in" });
  const { data: options } = useQuery(signInOptionsQuery);
  const [token, setToken] = useState("");
  const submission = useMutation({
    mutationFn: () => signIn(token.trim()),
    onSuccess: async (session) => {
      setToken("");
      client.setQueryData(sessionQuery.queryKey, session);
      router.history.push(toLocalPath(returnTo));
    },
  });
  return (
    <div className="sign-in">
      <Page title="Sign in to flags">
        {problem === undefined || submission.error !== null ? null : (
          <Banner kind="error">
            {ownValue(PROBLEMS, problem) ?? "The sign-in failed. Try again."}
          </Banner>
        )}
        {options?.openIdConnect ? (
          <a
            className="button button-primary"
            href={`auth/openid/start?returnTo=${encodeURIComponent(toLocalPath(returnTo))}`}
          >
            Continue with {options.openIdConnect.name}
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
      </Page>
    </div>
  );
}

function describeRefusal(error: Error): string {
  if (error instanceof ApiError && error.status === 401) {
    return "This token is unknown, expired or deleted. Make sure you copied the whole token.";
  }
  return describeError(error);
}

/** NOTE: an address in the query can come from anybody, so only paths of this console are followed. */
function toLocalPath(path: string): string {
  const url = new URL(path, location.origin);
  return url.origin === location.origin ? `${url.pathname}${url.search}${url.hash}` : "/";
}
