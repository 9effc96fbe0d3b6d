import { type ReactNode, useState } from "react";
import { FormDialog } from "./dialog.tsx";
import { TextField } from "./fields.tsx";

interface ConfirmDialogProps {
  readonly title: string;
  /** The label of the button that confirms. */
  readonly submit: string;
  /** @param reason undefined unless the dialog asks for one */
  readonly onConfirm: (reason?: string) => void;
  readonly onClose: () => void;
  readonly isPending: boolean;
  readonly error?: unknown;
  /** What confirming does to whom, beside the button. */
  readonly consequence?: string | undefined;
  /** @default true */
  readonly isDangerous?: boolean;
  /** Text that has to be typed first, because nothing can undo the action. */
  readonly typed?: string;
  /** Whether people have to say why. @default false */
  readonly asksReason?: boolean;
  /** A button for what can be done instead. */
  readonly alternative?: { readonly label: string; readonly run: () => void } | undefined;
  /** What will happen. */
  readonly children: ReactNode;
}

/** Says what an action will do, and performs it only after a confirmation. */
export function ConfirmDialog({
  onConfirm,
  isDangerous = true,
  typed,
  asksReason = false,
  children,
  ...props
}: ConfirmDialogProps) {
  const [text, setText] = useState("");
  const [reason, setReason] = useState("");
  return (
    <FormDialog
      {...props}
      isDangerous={isDangerous}
      isDisabled={typed !== undefined && text.trim() !== typed}
      onSubmit={() => onConfirm(asksReason ? reason.trim() : undefined)}
    >
      {children}
      {asksReason ? (
        <TextField
          label="Reason"
          value={reason}
          onChange={setReason}
          autoFocus
          isRequired
          rows={2}
          maxLength={10_000}
          description="It is recorded, and everybody who sees the history can read it."
          validate={(entered) =>
            entered !== "" && entered.trim() === "" ? "Enter a reason." : undefined
          }
        />
      ) : null}
      {typed === undefined ? null : (
        <TextField
          label={`Type ${typed} to confirm`}
          value={text}
          onChange={setText}
          autoFocus
          autoComplete="off"
        />
      )}
    </FormDialog>
  );
}
