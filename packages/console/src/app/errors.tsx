import type { ErrorComponentProps } from "@tanstack/react-router";
import { Link } from "@tanstack/react-router";
import { describeError } from "../ui/describe-error.ts";
import { Button } from "../ui/button.tsx";
import { Banner, Page } from "../ui/page.tsx";

/** Shown instead of a page that cannot be opened. */
export function RouteError({ error, reset }: ErrorComponentProps) {
  return (
    <Page title="This page cannot be shown">
      <Banner kind="error">{describeError(error)}</Banner>
      <div className="row">
        <Button variant="primary" onPress={reset}>
          Try again
        </Button>
      </div>
    </Page>
  );
}

export function NotFound() {
  return (
    <Page title="There is nothing here">
      <p>
        The address may be misspelt, or what it showed was deleted.{" "}
        <Link to="/">Go to the flags</Link>
      </p>
    </Page>
  );
}
