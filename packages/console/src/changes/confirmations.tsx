import { useLocation } from "@tanstack/react-router";
import { type ReactNode, useEffect, useSyncExternalStore } from "react";
import type { Answer, ConfirmDialogProps } from "../ui/confirm-dialog.tsx";
import { lazyPart } from "../ui/lazy-part.tsx";

const ConfirmDialog = lazyPart(
  async () => (await import("../ui/confirm-dialog.tsx")).ConfirmDialog,
);

/** What people confirm before a change is sent. */
export interface Question {
  readonly title: string;
  /** A sentence that says what happens to whom. */
  readonly consequence: string;
  /** The label of the button that confirms. */
  readonly submit: string;
  /** @default true */
  readonly isDangerous?: boolean;
  /** Whether people have to say why. @default false */
  readonly asksReason?: boolean;
  /** What people have to choose. @default nothing */
  readonly choice?: ConfirmDialogProps["choice"];
  /** Whether it is also asked before the change is requested. @default false, because others review what is requested */
  readonly isAskedBeforeRequest?: boolean;
  /** A button for what can be done instead. */
  readonly alternative?: ConfirmDialogProps["alternative"];
  /** Shown below the sentence. */
  readonly details?: ReactNode;
}

interface Asked {
  readonly question: Question;
  readonly onConfirm: (answer: Answer) => void;
}

let asked: Asked | undefined;
const listeners = new Set<() => void>();

function show(next: Asked | undefined): void {
  asked = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Shows a question in a dialog, and passes on what people answer. It is closed if another page is opened. */
export function ask(question: Question, onConfirm: (answer: Answer) => void): void {
  show({ question, onConfirm });
}

/** Where questions appear. */
export function Confirmations() {
  const { pathname } = useLocation();
  const shown = useSyncExternalStore(subscribe, () => asked);
  useEffect(() => () => show(undefined), [pathname]);
  if (shown === undefined) return null;
  const { question, onConfirm } = shown;
  const { consequence, isDangerous = true, details, alternative } = question;
  const { title, submit, asksReason, choice } = question;
  return (
    <ConfirmDialog
      title={title}
      submit={submit}
      {...(asksReason !== undefined && { asksReason })}
      {...(choice !== undefined && { choice })}
      isDangerous={isDangerous}
      {...(alternative !== undefined && {
        alternative: {
          label: alternative.label,
          run: (answer) => {
            show(undefined);
            alternative.run(answer);
          },
        },
      })}
      isPending={false}
      onClose={() => show(undefined)}
      onConfirm={(answer) => {
        show(undefined);
        onConfirm(answer);
      }}
    >
      <p>{consequence}</p>
      {details}
    </ConfirmDialog>
  );
}
