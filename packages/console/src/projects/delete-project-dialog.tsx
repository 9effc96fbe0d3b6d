import { adminPath } from "../api/request.ts";
import type { Project } from "../api/types.ts";
import { DeleteDialog } from "../changes/delete-dialog.tsx";

interface DeleteProjectDialogProps {
  readonly project: Project;
  readonly onClose: () => void;
}

/** Deletes an archived project with everything in it. */
export function DeleteProjectDialog({ project, onClose }: DeleteProjectDialogProps) {
  const { id, name } = project;
  return (
    <DeleteDialog
      subject={`the project ${name}`}
      path={adminPath`/projects/${id}`}
      invalidates={[["projects"], ["flags"], ["segments"], ["context-fields"], ["tokens"]]}
      typed={id}
      onClose={onClose}
    >
      <p>
        Its archived flags, and the segments, context fields and tokens that only it has, are
        deleted too. Nothing of this can be restored.
      </p>
    </DeleteDialog>
  );
}
