import { adminPath } from "../api/request.ts";
import type { EnvironmentSummary } from "../api/types.ts";
import { DeleteDialog } from "../changes/delete-dialog.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { describeCount } from "../ui/numbers.ts";

interface DeleteEnvironmentDialogProps {
  readonly environment: EnvironmentSummary;
  readonly onClose: () => void;
}

/** Deletes an environment that nothing uses, or says what does. */
export function DeleteEnvironmentDialog({ environment, onClose }: DeleteEnvironmentDialogProps) {
  const { name, projectCount, apiTokenCount } = environment;
  if (projectCount > 0 || apiTokenCount > 0) {
    return (
      <Dialog title={`${name} cannot be deleted yet`} onClose={onClose}>
        <div className="dialog-content">
          <p>
            {describeCount(projectCount, "project")} and {describeCount(apiTokenCount, "API token")}{" "}
            use it. Remove it from the settings of the projects, and delete the tokens, first.
          </p>
        </div>
      </Dialog>
    );
  }
  return (
    <DeleteDialog
      subject={`the environment ${name}`}
      path={adminPath`/environments/${name}`}
      invalidates={[["environments"]]}
      onClose={onClose}
    >
      <p>No active project and no valid token uses it. It cannot be restored.</p>
    </DeleteDialog>
  );
}
