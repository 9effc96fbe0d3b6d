import { useQuery } from "@tanstack/react-query";
import { useRouter, useSearch } from "@tanstack/react-router";
import { ownValue } from "../ui/own-value.ts";
import { EntryPage } from "./entry-page.tsx";
import { signInOptionsQuery } from "./session.ts";
import { SignInForm } from "./sign-in-form.tsx";

/** Why a sign-in with OpenID Connect failed, by the code that the service adds to the address. */
const PROBLEMS: Readonly<Record<string, string>> = {
  denied: "The provider rejected the sign-in, or it was cancelled.",
  forbidden: "Your account has no role in this console. An administrator can give you one.",
  expired: "The sign-in took too long, or it was started in another window. Try again.",
  link: "The link has been used or has expired. Run the command that printed it again for a new one.",
  unavailable: "The provider cannot be reached at the moment. Try again, or sign in with a token.",
};

export function SignInPage() {
  const router = useRouter();
  const { returnTo = "/", problem } = useSearch({ from: "/sign-in" });
  const path = toLocalPath(returnTo);
  return (
    <EntryPage title="Sign in to flags" help={<Help />}>
      <SignInForm
        returnTo={path}
        onSignedIn={() => void router.navigate({ href: path })}
        reason={
          problem === undefined
            ? undefined
            : (ownValue(PROBLEMS, problem) ?? "The sign-in failed. Try again.")
        }
      />
    </EntryPage>
  );
}

/** Whom to ask. The console sends no mail. */
function Help() {
  const { data: options } = useQuery(signInOptionsQuery);
  if (options === undefined || options.setup) return null;
  return options.password ? (
    <p>No account, or the password forgotten? Ask an admin of this service for a link.</p>
  ) : (
    <p>No access yet? Ask an admin of this service.</p>
  );
}

/** NOTE: an address in the query can come from anybody, so only paths of this console are followed. */
function toLocalPath(path: string): string {
  const url = new URL(path, location.origin);
  return url.origin === location.origin ? `${url.pathname}${url.search}${url.hash}` : "/";
}
