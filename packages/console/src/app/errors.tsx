import type { ErrorComponentProps } from "@tanstack/react-router";
import { Link, useRouter } from "@tanstack/react-router";
import { useEffect } from "react";
import { isUnavailable } from "../api/request.ts";
import { Banner } from "../ui/banner.tsx";
import { describeError } from "../ui/describe-error.ts";
import { Button } from "../ui/button.tsx";
import { OutdatedError } from "../ui/lazy-part.tsx";
import { Page } from "../ui/page.tsx";

/** How long a page waits before it tries again to open. */
const RETRY_MS = 3000;

/** Shown instead of a page that cannot be opened. It tries again by itself if the service is unavailable. */
export function RouteError({ error }: ErrorComponentProps) {
  const router = useRouter();
  const isTemporary = isUnavailable(error);
  const open = (): void => void router.invalidate();
  useEffect(() => {
    if (!isTemporary) return undefined;
    const timer = window.setTimeout(() => void router.invalidate(), RETRY_MS);
    return () => window.clearTimeout(timer);
  }, [router, error, isTemporary]);
  if (error instanceof OutdatedError) {
    return (
      <Page title="A new version of the console is available">
        <p>
          This page is from an earlier version, whose files no longer exist. Reload it to continue.
        </p>
        <div className="row">
          <Button variant="primary" onPress={() => window.location.reload()}>
            Reload
          </Button>
        </div>
      </Page>
    );
  }
  return (
    <Page
      title={isTemporary ? "The service is currently unavailable" : "This page cannot be shown"}
    >
      <Banner kind="error">{describeError(error)}</Banner>
      {isTemporary ? <p>The page opens automatically as soon as the service responds.</p> : null}
      <div className="row">
        <Button variant="primary" onPress={open}>
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
        The address may be misspelt, or what it showed has been deleted.{" "}
        <Link to="/">Go to the flags</Link>
      </p>
    </Page>
  );
}
