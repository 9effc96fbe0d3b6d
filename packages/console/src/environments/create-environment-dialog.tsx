import { useState } from "react";
import { adminPath, request } from "../api/request.ts";
import { useChange } from "../changes/use-change.ts";
import { FormDialog } from "../ui/dialog.tsx";
import { Checkbox, NumberField } from "../ui/fields.tsx";
import { NameField } from "../ui/name-field.tsx";
import { ComboBox } from "../ui/select.tsx";
import { ENVIRONMENT_TYPES } from "./environment-types.ts";

const DEFAULT_POSITION = 9999;

export function CreateEnvironmentDialog({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useState("");
  const [type, setType] = useState("production");
  const [sortOrder, setSortOrder] = useState(DEFAULT_POSITION);
  const [enabled, setEnabled] = useState(true);
  const creation = useChange({
    run: () =>
      request(adminPath`/environments`, {
        method: "POST",
        body: { name, type: type.trim(), sortOrder, enabled },
      }),
    outdates: [["environments"]],
    success: () => `Created ${name}. Add it to projects in their settings`,
    showsErrors: true,
  });
  return (
    <FormDialog
      title="New environment"
      submit="Create environment"
      onClose={onClose}
      isPending={creation.isPending}
      error={creation.error}
      onSubmit={() => creation.mutate(undefined, { onSuccess: onClose })}
    >
      <NameField
        value={name}
        onChange={setName}
        description="It becomes part of API tokens, so it cannot be changed later."
      />
      <ComboBox
        label="Type"
        choices={Object.entries(ENVIRONMENT_TYPES).map(([id, label]) => ({
          id,
          label: id,
          description: label,
        }))}
        value={type}
        onChange={setType}
        isRequired
        description="Says what the environment is for. It has no effect on flags."
      />
      <NumberField
        label="Position"
        value={sortOrder}
        onChange={setSortOrder}
        minValue={0}
        maxValue={2 ** 31 - 1}
        step={1}
        description="Environments are shown from the smallest to the largest position."
      />
      <Checkbox label="New projects contain it" isSelected={enabled} onChange={setEnabled} />
    </FormDialog>
  );
}
