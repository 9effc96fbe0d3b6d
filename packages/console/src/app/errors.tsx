import type { ErrorComponentProps } from "@tanstack/react-router";
import { Link } from "@tanstack/react-router";
import { Banner } from "../ui/banner.tsx";
import { describeError } from "../ui/describe-error.ts";
import { Button } from "../ui/button.tsx";
import { Page } from "../ui/page.tsx";

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

interface MissingProjectProps {
  readonly project: string;
}

/** Shown instead of the pages of a project that does not exist. */
export function MissingProject({ project }: MissingProjectProps) {
  return (
    <Page title={`There is no project “${project}”`}>
      <p>
        The address may be misspelt, or somebody has archived or deleted the project.{" "}
        <Link to="/projects">Go to the projects</Link>
      </p>
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
