import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { queries } from "../api/queries.ts";
import { adminPath, request } from "../api/request.ts";
import { useChange } from "../changes/use-change.ts";
import { FormDialog } from "../ui/dialog.tsx";
import { Checkbox } from "../ui/fields.tsx";
import { NameField } from "../ui/name-field.tsx";
import { Select } from "../ui/select.tsx";
import {
  EnvironmentTypeField,
  NAME_IS_FINAL,
  type Protection,
  ProtectionFields,
} from "./environment-fields.tsx";
import { listPositions } from "./positions.ts";

export function CreateEnvironmentDialog({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useState("");
  const [type, setType] = useState("production");
  const { data: environments = [] } = useQuery(queries.environments());
  const positions = listPositions(environments);
  const [chosen, setChosen] = useState<string>();
  const position = positions.find(({ after = "" }) => after === chosen) ?? positions.at(-1);
  const [enabled, setEnabled] = useState(true);
  const [chosenProtection, setProtection] = useState<Protection>();
  const protection: Protection = chosenProtection ?? {
    protection: type.trim() === "production" ? "confirm" : "none",
    requiredApprovals: null,
  };
  const creation = useChange({
    run: () =>
      request(adminPath`/environments`, {
        method: "POST",
        body: { name, type: type.trim(), sortOrder: position?.sortOrder, enabled, ...protection },
      }),
    invalidates: [["environments"]],
    success: () => `Created ${name}. Add it to projects in their settings`,
    showsErrors: true,
  });
  return (
    <FormDialog
      title="New environment"
      submit="Create environment"
      draft={[name, type, chosen, enabled, chosenProtection]}
      onClose={onClose}
      isPending={creation.isPending}
      error={creation.error}
      onSubmit={() => creation.mutate(undefined, { onSuccess: onClose })}
    >
      <NameField value={name} onChange={setName} description={NAME_IS_FINAL} />
      <EnvironmentTypeField value={type} onChange={setType} />
      <Select
        label="Position"
        choices={positions.map(({ after }) => ({
          id: after ?? "",
          label: after === undefined ? "First" : `After ${after}`,
        }))}
        value={position?.after ?? ""}
        onChange={setChosen}
        description="The console shows environments in this order everywhere."
      />
      <ProtectionFields value={protection} onChange={setProtection} type={type} />
      <Checkbox label="Add it to new projects" isSelected={enabled} onChange={setEnabled} />
    </FormDialog>
  );
}
