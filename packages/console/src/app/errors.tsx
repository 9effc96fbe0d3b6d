import type { ErrorComponentProps } from "@tanstack/react-router";
import { Link } from "@tanstack/react-router";
import { describeError } from "../ui/describe-error.ts";
import { Button } from "../ui/button.tsx";
import { Banner, Page } from "../ui/page.tsx";

/** Shown instead of a page that cannot be opened. */
export function RouteError({ error, reset }: ErrorComponentProps) {
  return (
    <Page title="This page cannot be shown">
      <Banner kind="error">
        {isMissingPart(error)
          ? "A part of the console could not be loaded. The service cannot be reached, or it was upgraded in the meantime."
          : describeError(error)}
      </Banner>
      <div className="row">
        <Button
          variant="primary"
          onPress={() => (isMissingPart(error) ? location.reload() : reset())}
        >
          Try again
        </Button>
      </div>
    </Page>
  );
}

/**
 * Whether a script or style sheet of a page could not be loaded. After an upgrade of the service, the parts of the
 * old console are no longer available.
 */
function isMissingPart(error: unknown): boolean {
  return error instanceof Error && MISSING_PART.test(error.message);
}

/** The words of Chromium and Firefox, of Safari, and of the loader of style sheets. */
const MISSING_PART = /dynamically imported module|importing a module script|preload css/i;

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
