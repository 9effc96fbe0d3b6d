import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { adminPath, request } from "../api/request.ts";
import type { Flag } from "../api/types.ts";
import { useChange } from "../changes/use-change.ts";
import { FormDialog } from "../ui/dialog.tsx";
import { NameField } from "../ui/name-field.tsx";

interface CopyFlagDialogProps {
  readonly flag: Flag;
  readonly onClose: () => void;
}

export function CopyFlagDialog({ flag: { project, name }, onClose }: CopyFlagDialogProps) {
  const navigate = useNavigate();
  const [copy, setCopy] = useState("");
  const copying = useChange({
    run: () =>
      request(adminPath`/projects/${project}/features/${name}/clone`, {
        method: "POST",
        body: { name: copy },
      }),
    invalidates: [["flags", project], ["projects"]],
    success: () => `Copied ${name}. The copy is off in every environment`,
    showsErrors: true,
  });
  return (
    <FormDialog
      title={`Copy ${name}`}
      submit="Copy flag"
      onClose={onClose}
      isPending={copying.isPending}
      error={copying.error}
      onSubmit={() =>
        copying.mutate(undefined, {
          onSuccess: () => {
            onClose();
            void navigate({
              to: "/projects/$project/flags/$flag",
              params: { project, flag: copy },
            });
          },
        })
      }
    >
      <p>
        The copy has the same description, tags, dependency, strategies and variants. It is off in
        every environment, and its rollouts select a different set of users.
      </p>
      <NameField
        value={copy}
        onChange={setCopy}
        description="Applications use this name, so it cannot be changed later."
      />
    </FormDialog>
  );
}
