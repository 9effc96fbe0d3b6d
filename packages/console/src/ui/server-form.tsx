import { type ReactNode, useMemo, useState } from "react";
import { Form } from "react-aria-components/Form";
import { type FieldSubjects, findFieldErrors } from "./field-errors.ts";
import { type ConflictActions, FormError } from "./form-error.tsx";
import "./server-form.css";

interface ServerFormProps {
  readonly className?: string;
  /** Why the last attempt failed; null or undefined if it did not. */
  readonly error: unknown;
  /** The fields that show what the service says about them. NOTE: a constant, as errors are derived from it once. */
  readonly subjects?: FieldSubjects;
  readonly conflict?: ConflictActions;
  readonly onSubmit: () => void;
  readonly children: ReactNode;
  /** The buttons below. */
  readonly footer: ReactNode;
}

const NONE: FieldSubjects = {};

/** A form that the service checks. Errors are shown at their fields, and others above the buttons. */
export function ServerForm({
  className = "stack",
  error,
  subjects = NONE,
  conflict,
  onSubmit,
  children,
  footer,
}: ServerFormProps) {
  // NOTE: errors disappear when somebody types. When the focus leaves a field, the button would move away from the pointer.
  const [seen, setSeen] = useState<unknown>();
  const fieldErrors = useMemo(
    () => (error === seen ? {} : findFieldErrors(error, subjects)),
    [error, seen, subjects],
  );
  const isAboutFields = Object.keys(findFieldErrors(error, subjects)).length > 0;
  return (
    <Form
      className={className}
      validationErrors={fieldErrors}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      <div className="form-fields" onChange={() => setSeen(error)}>
        {children}
      </div>
      <FormError
        error={isAboutFields ? undefined : error}
        {...(conflict !== undefined && { conflict })}
      />
      {footer}
    </Form>
  );
}
