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
  /** Shown below the sentence. */
  readonly details?: ReactNode;
}

interface Asked {
  readonly question: Question;
  readonly onConfirm: () => void;
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

/** Shows a question in a dialog. It is closed if another page is opened. */
export function ask(question: Question, onConfirm: () => void): void {
  show({ question, onConfirm });
}

/** Where questions appear. */
export function Confirmations() {
  const { pathname } = useLocation();
  const shown = useSyncExternalStore(subscribe, () => asked);
  useEffect(() => () => show(undefined), [pathname]);
  if (shown === undefined) return null;
  const { question, onConfirm } = shown;
  const { title, consequence, submit, isDangerous = true, details } = question;
  return (
    <ConfirmDialog
      title={title}
      submit={submit}
      isDangerous={isDangerous}
      isPending={false}
      onClose={() => show(undefined)}
      onConfirm={() => {
        show(undefined);
        onConfirm();
      }}
    >
      <p>{consequence}</p>
      {details}
    </ConfirmDialog>
  );
}
