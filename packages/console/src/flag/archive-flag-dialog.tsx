import { useNavigate } from "@tanstack/react-router";
import { adminPath, request } from "../api/request.ts";
import type { Flag } from "../api/types.ts";
import { useChange } from "../changes/use-change.ts";
import { Banner } from "../ui/banner.tsx";
import { FormDialog } from "../ui/dialog.tsx";
import { joinWithAnd } from "../ui/words.ts";

interface ArchiveFlagDialogProps {
  readonly flag: Flag;
  readonly onClose: () => void;
}

export function ArchiveFlagDialog({ flag, onClose }: ArchiveFlagDialogProps) {
  const navigate = useNavigate();
  const { project, name, children, environments } = flag;
  const on = environments.filter(({ enabled }) => enabled).map((entry) => entry.name);
  const archiving = useChange({
    run: async () => {
      await request(adminPath`/projects/${project}/features/${name}`, { method: "DELETE" });
      // NOTE: first, because this page would try to read the flag again.
      await navigate({ to: "/projects/$project/flags", params: { project } });
    },
    invalidates: [["flags", project], ["projects"]],
    success: () => `Archived ${name}`,
    undo: () =>
      request(adminPath`/projects/${project}/revive`, {
        method: "POST",
        body: { features: [name] },
      }),
    showsErrors: true,
  });
  return (
    <FormDialog
      title={`Archive ${name}?`}
      submit="Archive"
      isDangerous
      isDisabled={children.length > 0}
      onClose={onClose}
      onSubmit={() => archiving.mutate()}
      isPending={archiving.isPending}
      error={archiving.error}
    >
      {children.length > 0 ? (
        <Banner kind="warning">
          Other flags depend on this one, so it cannot be archived: {children.join(", ")}
        </Banner>
      ) : (
        <p>
          Applications no longer receive the flag and treat it as off. You can revive it from the
          archive; it is then off in every environment.
        </p>
      )}
      {on.length > 0 ? <Banner kind="warning">It is on in {joinWithAnd(on)}.</Banner> : null}
    </FormDialog>
  );
}
