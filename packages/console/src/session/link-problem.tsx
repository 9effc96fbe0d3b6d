import { Link } from "@tanstack/react-router";
import { Banner } from "../ui/banner.tsx";
import { describeError } from "../ui/describe-error.ts";
import { EntryPage } from "./entry-page.tsx";

interface LinkProblemProps {
  /** What the service says about the link; undefined if the address contains no link. */
  readonly error: unknown;
}

/** Shown instead of a form that a link would open. */
export function LinkProblem({ error }: LinkProblemProps) {
  return (
    <EntryPage title="This link cannot be used">
      <Banner kind="error">
        {error === undefined
          ? "The address is incomplete. Open the link again that you have received: after a page is reloaded, the address no longer contains its secret."
          : describeError(error)}
      </Banner>
      <Link to="/sign-in" className="button entry-action">
        Go to the sign-in
      </Link>
    </EntryPage>
  );
}
