import { useNavigate } from "@tanstack/react-router";
import { adminPath, request } from "../api/request.ts";
import { useChange } from "../changes/use-change.ts";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";

interface RemoveApplicationDialogProps {
  readonly name: string;
  readonly onClose: () => void;
}

/** Removes an application that no longer runs. */
export function RemoveApplicationDialog({ name, onClose }: RemoveApplicationDialogProps) {
  const navigate = useNavigate();
  const removal = useChange({
    run: () => request(adminPath`/metrics/applications/${name}`, { method: "DELETE" }),
    // Does not reload the page of the application, which is left first and would only get a 404.
    invalidates: [["applications", "list"]],
    success: () => `Removed the application ${name}`,
    showsErrors: true,
  });
  return (
    <ConfirmDialog
      title={`Remove the application ${name}?`}
      submit="Remove"
      isPending={removal.isPending}
      error={removal.error}
      onClose={onClose}
      onConfirm={() =>
        removal.mutate(undefined, { onSuccess: () => void navigate({ to: "/applications" }) })
      }
    >
      <p>
        The application and its instances disappear from this list. Its tokens and flags stay as
        they are. If it still runs, it reappears the next time it registers.
      </p>
    </ConfirmDialog>
  );
}
