import type { ReactNode } from "react";
import { Banner } from "./banner.tsx";
import { Button } from "./button.tsx";
import { describeError, isConflict } from "./describe-error.ts";

/** How to continue if somebody else has changed the same thing in the meantime. */
export interface ConflictActions {
  /** Replaces the contents of the form with the new version. */
  readonly load: () => void;
  /** Saves the contents of the form nevertheless. */
  readonly overwrite: () => void;
  /** What the other person has changed. */
  readonly details?: ReactNode;
}

interface FormErrorProps {
  /** Why the last attempt failed; null or undefined if it did not. */
  readonly error: unknown;
  readonly conflict?: ConflictActions;
}

/** Says within a form why its contents were not saved. */
export function FormError({ error, conflict }: FormErrorProps) {
  if (error === undefined || error === null) return null;
  return (
    <Banner kind="error">
      {describeError(error)}
      {conflict === undefined || !isConflict(error) ? null : (
        <>
          {conflict.details}
          <div className="row banner-actions">
            <Button size="small" onPress={conflict.load}>
              Load the new version
            </Button>
            <Button size="small" onPress={conflict.overwrite}>
              Save mine anyway
            </Button>
          </div>
        </>
      )}
    </Banner>
  );
}
