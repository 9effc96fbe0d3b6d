import { type ReactNode, useState } from "react";
import { FormDialog } from "./dialog.tsx";
import { TextField } from "./fields.tsx";
import { type Choice, Select } from "./select.tsx";

/** What people enter when they confirm something. */
export interface Answer {
  /** Undefined unless the dialog asks for one. */
  readonly reason?: string;
  /** The id of what they have chosen; undefined unless the dialog has choices. */
  readonly choice?: string;
}

export interface ConfirmDialogProps {
  readonly title: string;
  /** The label of the button that confirms. */
  readonly submit: string;
  readonly onConfirm: (answer: Answer) => void;
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
  /** What people have to choose. @default nothing */
  readonly choice?: { readonly label: string; readonly choices: readonly Choice[] };
  /** A button for what can be done instead. It is shown once people have chosen what they have to choose. */
  readonly alternative?:
    | { readonly label: string; readonly run: (answer: Answer) => void }
    | undefined;
  /** What will happen. */
  readonly children: ReactNode;
}

/** Says what an action will do, and performs it only after a confirmation. */
export function ConfirmDialog({
  onConfirm,
  isDangerous = true,
  typed,
  asksReason = false,
  choice,
  alternative,
  children,
  ...props
}: ConfirmDialogProps) {
  const [text, setText] = useState("");
  const [reason, setReason] = useState("");
  const [chosen, setChosen] = useState<string>();
  const answer: Answer = {
    ...(asksReason && { reason: reason.trim() }),
    ...(chosen !== undefined && { choice: chosen }),
  };
  const isChosen = choice === undefined || chosen !== undefined;
  return (
    <FormDialog
      {...props}
      isDangerous={isDangerous}
      isDisabled={typed !== undefined && text.trim() !== typed}
      {...(alternative !== undefined &&
        isChosen && {
          alternative: { label: alternative.label, run: () => alternative.run(answer) },
        })}
      onSubmit={() => onConfirm(answer)}
    >
      {children}
      {choice === undefined ? null : (
        <Select {...choice} value={chosen ?? null} onChange={setChosen} isRequired />
      )}
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
