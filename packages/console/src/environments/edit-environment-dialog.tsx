import { useState } from "react";
import { adminPath, request } from "../api/request.ts";
import type { EnvironmentSummary } from "../api/types.ts";
import { PendingNote } from "../change-requests/pending-note.tsx";
import { useChange } from "../changes/use-change.ts";
import { FormDialog } from "../ui/dialog.tsx";
import { Select } from "../ui/select.tsx";
import { EnvironmentTypeField, type Protection, ProtectionFields } from "./environment-fields.tsx";
import { moveAfter } from "./positions.ts";

interface EditEnvironmentDialogProps {
  readonly environment: EnvironmentSummary;
  /** All environments, in their order. */
  readonly all: readonly EnvironmentSummary[];
  readonly onClose: () => void;
}

const FIRST = "";

/** Changes the type, the position and the protection of an environment. */
export function EditEnvironmentDialog({ environment, all, onClose }: EditEnvironmentDialogProps) {
  const { name } = environment;
  const others = all.filter((other) => other.name !== name);
  const previous = all[all.indexOf(environment) - 1]?.name ?? FIRST;
  const [type, setType] = useState(environment.type);
  const [after, setAfter] = useState(previous);
  const [{ protection, requiredApprovals }, setProtection] = useState<Protection>(environment);
  const isProtectionChanged =
    protection !== environment.protection || requiredApprovals !== environment.requiredApprovals;
  const approvals = requiredApprovals ?? 0;
  const change = useChange({
    run: async () => {
      if (type.trim() !== environment.type || isProtectionChanged) {
        const body = {
          type: type.trim(),
          ...(isProtectionChanged && { protection, requiredApprovals }),
        };
        await request(adminPath`/environments/update/${name}`, { method: "PUT", body });
      }
      if (after !== previous) {
        const body = moveAfter(all, name, after === FIRST ? undefined : after);
        await request(adminPath`/environments/sort-order`, { method: "PUT", body });
      }
    },
    invalidates: [["environments"], ["projects"], ["flags"], ["flag"]],
    success: () => `Changed ${name}`,
    showsErrors: true,
  });
  return (
    <FormDialog
      title={`Edit ${name}`}
      submit="Save"
      draft={[type, after, protection, requiredApprovals]}
      onClose={onClose}
      isPending={change.isPending}
      error={change.error}
      onSubmit={() => change.mutate(undefined, { onSuccess: onClose })}
    >
      <EnvironmentTypeField value={type} onChange={setType} />
      <ProtectionFields
        value={{ protection, requiredApprovals }}
        onChange={setProtection}
        type={type}
      />
      {approvals > (environment.requiredApprovals ?? 0) ? (
        <PendingNote environment={name} approvals={approvals} />
      ) : null}
      <Select
        label="Position"
        choices={[
          { id: FIRST, label: "First" },
          ...others.map((other) => ({ id: other.name, label: `After ${other.name}` })),
        ]}
        value={after}
        onChange={setAfter}
        description="The console shows environments in this order everywhere."
      />
    </FormDialog>
  );
}
