import type { QueryKey } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { request } from "../api/request.ts";
import { useChange } from "../changes/use-change.ts";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { Dialog } from "../ui/dialog.tsx";

interface UsesDialogProps {
  readonly name: string;
  readonly onClose: () => void;
  /** Where it is used. */
  readonly children: ReactNode;
}

/** Shows where something is used. */
export function UsesDialog({ name, onClose, children }: UsesDialogProps) {
  return (
    <Dialog title={`Where ${name} is used`} onClose={onClose}>
      <div className="dialog-content">{children}</div>
    </Dialog>
  );
}

interface DeleteUnusedDialogProps {
  readonly name: string;
  readonly path: string;
  readonly outdates: readonly QueryKey[];
  readonly onClose: () => void;
  readonly isUsed: boolean;
  /** What to do first, and where, if it is used. */
  readonly uses: ReactNode;
  /** What a deletion means. */
  readonly children: ReactNode;
}

/** Deletes something after a confirmation, or says where it is used. */
export function DeleteUnusedDialog({
  name,
  path,
  outdates,
  onClose,
  isUsed,
  uses,
  children,
}: DeleteUnusedDialogProps) {
  const deletion = useChange({
    run: () => request(path, { method: "DELETE" }),
    outdates,
    success: () => `Deleted ${name}`,
    showsErrors: true,
  });
  if (isUsed) {
    return (
      <Dialog title={`${name} cannot be deleted yet`} onClose={onClose}>
        <div className="dialog-content">{uses}</div>
      </Dialog>
    );
  }
  return (
    <ConfirmDialog
      title={`Delete ${name}?`}
      submit="Delete"
      isPending={deletion.isPending}
      error={deletion.error}
      onClose={onClose}
      onConfirm={() => deletion.mutate(undefined, { onSuccess: onClose })}
    >
      {children}
    </ConfirmDialog>
  );
}
