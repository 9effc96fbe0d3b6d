import type { QueryKey } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { request } from "../api/request.ts";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { useChange } from "./use-change.ts";

interface DeleteDialogProps {
  /** What is deleted, as in a sentence, for example "the tag team:checkout". */
  readonly subject: string;
  readonly path: string;
  readonly invalidates: readonly QueryKey[];
  readonly onClose: () => void;
  /** Called after the deletion, besides `onClose`. @default nothing more happens */
  readonly onDone?: () => void;
  /** Text that has to be typed first. @default none */
  readonly typed?: string;
  /** What the deletion means. */
  readonly children: ReactNode;
}

/** Deletes something after a confirmation. */
export function DeleteDialog({
  subject,
  path,
  invalidates,
  onDone,
  children,
  ...props
}: DeleteDialogProps) {
  const deletion = useChange({
    run: () => request(path, { method: "DELETE" }),
    invalidates,
    success: () => `Deleted ${subject}`,
    showsErrors: true,
  });
  return (
    <ConfirmDialog
      title={`Delete ${subject}?`}
      submit="Delete"
      isPending={deletion.isPending}
      error={deletion.error}
      {...props}
      onConfirm={() =>
        deletion.mutate(undefined, {
          onSuccess: () => {
            props.onClose();
            onDone?.();
          },
        })
      }
    >
      {children}
    </ConfirmDialog>
  );
}
