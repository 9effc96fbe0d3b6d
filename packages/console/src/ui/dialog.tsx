import { type ReactNode, useState } from "react";
import { Dialog as AriaDialog, Heading } from "react-aria-components/Dialog";
import { Modal, ModalOverlay } from "react-aria-components/Modal";
import { X } from "lucide-react";
import { Button, IconButton } from "./button.tsx";
import { Consequence } from "./consequence.tsx";
import type { FieldSubjects } from "./field-errors.ts";
import type { ConflictActions } from "./form-error.tsx";
import { ServerForm } from "./server-form.tsx";
import { useReturnedFocus } from "./use-returned-focus.ts";
import "./dialog.css";

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  /** @default "normal" */
  readonly size?: "normal" | "wide";
}

/** A modal dialog. It is open while it is rendered. */
export function Dialog({ title, onClose, children, size = "normal" }: DialogProps) {
  useReturnedFocus();
  return (
    <ModalOverlay
      isOpen
      className="dialog-overlay"
      onOpenChange={(isOpen) => {
        if (!isOpen) onClose();
      }}
    >
      <Modal className={`dialog dialog-${size}`}>
        <AriaDialog className="dialog-body">
          <header className="dialog-header">
            <Heading slot="title">{title}</Heading>
            <IconButton label="Close" onPress={onClose}>
              <X aria-hidden />
            </IconButton>
          </header>
          {children}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}

interface FormDialogProps extends DialogProps {
  /** The label of the button that submits the form. */
  readonly submit: string;
  /** @default "Cancel" */
  readonly cancel?: string;
  /** What the form edits, if closing the dialog would lose it. The dialog then needs a confirmation to close. */
  readonly draft?: unknown;
  readonly onSubmit: () => void;
  readonly isPending: boolean;
  /** Why the last attempt failed; null or undefined if it did not. */
  readonly error?: unknown;
  /** The fields that show what the service says about them. */
  readonly subjects?: FieldSubjects;
  /** How to continue if somebody else has changed the same thing in the meantime. */
  readonly conflict?: ConflictActions;
  readonly isDangerous?: boolean;
  /** Whether nothing can be submitted at the moment. @default false */
  readonly isDisabled?: boolean;
  /** What submitting does to whom, if people have to know it. Shown beside the button. */
  readonly consequence?: string | undefined;
  /** A button for what can be done instead. */
  readonly alternative?: { readonly label: string; readonly run: () => void } | undefined;
}

/** A modal dialog with a form. Errors are shown above its buttons. */
export function FormDialog({
  submit,
  cancel = "Cancel",
  draft,
  onSubmit,
  isPending,
  error,
  subjects,
  conflict,
  isDangerous = false,
  isDisabled = false,
  consequence,
  alternative,
  onClose,
  children,
  ...props
}: FormDialogProps) {
  const current = JSON.stringify(draft);
  const [start] = useState(current);
  const [isConfirming, setConfirming] = useState(false);
  const close = current === start ? onClose : () => setConfirming(true);
  return (
    <Dialog {...props} onClose={close}>
      <ServerForm
        className="dialog-form"
        error={error}
        onSubmit={onSubmit}
        {...(subjects !== undefined && { subjects })}
        {...(conflict !== undefined && { conflict })}
        footer={
          <footer className="dialog-footer">
            <Consequence text={consequence} />
            <Button onPress={close}>{cancel}</Button>
            {alternative === undefined ? null : (
              <Button onPress={alternative.run}>{alternative.label}</Button>
            )}
            <Button
              type="submit"
              variant={isDangerous ? "danger" : "primary"}
              isPending={isPending}
              isDisabled={isDisabled}
            >
              {submit}
            </Button>
          </footer>
        }
      >
        <div className="dialog-content">{children}</div>
      </ServerForm>
      {isConfirming ? (
        <FormDialog
          title="Discard changes?"
          submit="Discard"
          cancel="Keep editing"
          isDangerous
          isPending={false}
          onSubmit={onClose}
          onClose={() => setConfirming(false)}
        >
          <p>Your changes have not been saved.</p>
        </FormDialog>
      ) : null}
    </Dialog>
  );
}
