import { useLocation } from "@tanstack/react-router";
import { type ReactNode, useEffect, useSyncExternalStore } from "react";
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
  /** A button for what can be done instead. */
  readonly alternative?: { readonly label: string; readonly run: () => void } | undefined;
  /** Shown below the sentence. */
  readonly details?: ReactNode;
}

interface Asked {
  readonly question: Question;
  readonly onConfirm: (reason?: string) => void;
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

/** Shows a question in a dialog, and passes on the reason if it asks for one. It is closed if another page is opened. */
export function ask(question: Question, onConfirm: (reason?: string) => void): void {
  show({ question, onConfirm });
}

/** Where questions appear. */
export function Confirmations() {
  const { pathname } = useLocation();
  const shown = useSyncExternalStore(subscribe, () => asked);
  useEffect(() => () => show(undefined), [pathname]);
  if (shown === undefined) return null;
  const { question, onConfirm } = shown;
  const { consequence, isDangerous = true, details, alternative, ...words } = question;
  return (
    <ConfirmDialog
      {...words}
      isDangerous={isDangerous}
      {...(alternative !== undefined && {
        alternative: {
          label: alternative.label,
          run: () => {
            show(undefined);
            alternative.run();
          },
        },
      })}
      isPending={false}
      onClose={() => show(undefined)}
      onConfirm={(reason) => {
        show(undefined);
        onConfirm(reason);
      }}
    >
      <p>{consequence}</p>
      {details}
    </ConfirmDialog>
  );
}
