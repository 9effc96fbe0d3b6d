import { adminPath, request } from "../api/request.ts";
import type { Project } from "../api/types.ts";
import { useChange } from "../changes/use-change.ts";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { describeCount } from "../ui/numbers.ts";
import { Dialog } from "../ui/dialog.tsx";

interface ArchiveProjectDialogProps {
  readonly project: Project;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Archives a project without active flags, or says why that is not possible. */
export function ArchiveProjectDialog({ project, onClose, onDone }: ArchiveProjectDialogProps) {
  const { id, name, featureCount } = project;
  const archiving = useArchiveProject(onDone);
  if (featureCount > 0) {
    return (
      <Dialog title={`${name} cannot be archived yet`} onClose={onClose}>
        <div className="dialog-content">
          <p>
            It has {describeCount(featureCount, "flag")}. Archive{" "}
            {featureCount === 1 ? "it" : "them"} first: applications may still use{" "}
            {featureCount === 1 ? "it" : "them"}.
          </p>
        </div>
      </Dialog>
    );
  }
  return (
    <ConfirmDialog
      title={`Archive ${name}?`}
      submit="Archive"
      isPending={archiving.isPending}
      error={archiving.error}
      onClose={onClose}
      onConfirm={() => archiving.mutate({ id, name })}
    >
      <p>
        The project disappears from the console. Its archived flags stay in it, and you can revive
        it at any time.
      </p>
    </ConfirmDialog>
  );
}

interface NamedProject {
  readonly id: string;
  readonly name: string;
}

const INVALIDATED = [["projects"], ["environments"], ["flags"], ["flag"]];

function useArchiveProject(onDone: () => void) {
  return useChange<NamedProject>({
    // NOTE: not in a callback of the mutation, which is skipped if the dialog disappears with the page of the project.
    run: async ({ id }) => {
      await send("archive", id);
      onDone();
    },
    invalidates: INVALIDATED,
    success: ({ name }) => `Archived ${name}`,
    undo: ({ id }) => send("revive", id),
    showsErrors: true,
  });
}

/** Makes an archived project active again. */
export function useReviveProject() {
  return useChange<NamedProject>({
    run: ({ id }) => send("revive", id),
    invalidates: INVALIDATED,
    success: ({ name }) => `Revived ${name}`,
    undo: ({ id }) => send("archive", id),
  });
}

function send(operation: "archive" | "revive", id: string): Promise<void> {
  return request(adminPath`/projects/${operation}/${id}`, { method: "POST" });
}
