import { useRouter, useSearch } from "@tanstack/react-router";
import { ownValue } from "../ui/own-value.ts";
import { Page } from "../ui/page.tsx";
import { SignInForm } from "./sign-in-form.tsx";
import "./sign-in.css";

/** Why a sign-in with OpenID Connect failed, by the code that the service adds to the address. */
const PROBLEMS: Readonly<Record<string, string>> = {
  denied: "The provider rejected the sign-in, or it was cancelled.",
  forbidden: "Your account has no role in this console. An administrator can give you one.",
  expired: "The sign-in took too long, or it was started in another window. Try again.",
  unavailable: "The provider cannot be reached at the moment. Try again, or sign in with a token.",
};

export function SignInPage() {
  const router = useRouter();
  const { returnTo = "/", problem } = useSearch({ from: "/sign-in" });
  const path = toLocalPath(returnTo);
  return (
    <div className="sign-in">
      <Page title="Sign in to flags">
        <SignInForm
          returnTo={path}
          onSignedIn={() => void router.navigate({ href: path })}
          reason={
            problem === undefined
              ? undefined
              : (ownValue(PROBLEMS, problem) ?? "The sign-in failed. Try again.")
          }
        />
      </Page>
    </div>
  );
}

/** NOTE: an address in the query can come from anybody, so only paths of this console are followed. */
function toLocalPath(path: string): string {
  const url = new URL(path, location.origin);
  return url.origin === location.origin ? `${url.pathname}${url.search}${url.hash}` : "/";
}
