import { type ReactNode, useState } from "react";
import { FormDialog } from "./dialog.tsx";
import { TextField } from "./fields.tsx";

interface ConfirmDialogProps {
  readonly title: string;
  /** The label of the button that confirms. */
  readonly submit: string;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
  readonly isPending: boolean;
  readonly error?: unknown;
  /** What confirming does to whom, beside the button. */
  readonly consequence?: string | undefined;
  /** @default true */
  readonly isDangerous?: boolean;
  /** Text that has to be typed first, because nothing can undo the action. */
  readonly typed?: string;
  /** What will happen. */
  readonly children: ReactNode;
}

/** Says what an action will do, and performs it only after a confirmation. */
export function ConfirmDialog({
  onConfirm,
  isDangerous = true,
  typed,
  children,
  ...props
}: ConfirmDialogProps) {
  const [text, setText] = useState("");
  return (
    <FormDialog
      {...props}
      isDangerous={isDangerous}
      isDisabled={typed !== undefined && text.trim() !== typed}
      onSubmit={onConfirm}
    >
      {children}
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
