import { useState } from "react";
import { adminPath, request } from "../api/request.ts";
import type { EnvironmentSummary } from "../api/types.ts";
import { useChange } from "../changes/use-change.ts";
import { FormDialog } from "../ui/dialog.tsx";
import { NameField } from "../ui/name-field.tsx";
import { describeCount } from "../ui/numbers.ts";
import { EnvironmentTypeField, NAME_IS_FINAL } from "./environment-fields.tsx";

interface CloneEnvironmentDialogProps {
  readonly environment: EnvironmentSummary;
  readonly onClose: () => void;
}

/** Creates an environment in which flags are the same. */
export function CloneEnvironmentDialog({ environment, onClose }: CloneEnvironmentDialogProps) {
  const { name: original, projectCount, enabledToggleCount } = environment;
  const [name, setName] = useState("");
  const [type, setType] = useState(environment.type);
  const cloning = useChange({
    run: () =>
      request(adminPath`/environments/${original}/clone`, {
        method: "POST",
        body: { name, type: type.trim() },
      }),
    invalidates: [["environments"], ["projects"], ["flags"], ["flag"]],
    success: () => `Created ${name} as a copy of ${original}`,
    showsErrors: true,
  });
  return (
    <FormDialog
      title={`Clone ${original}`}
      submit="Clone environment"
      draft={[name, type]}
      onClose={onClose}
      isPending={cloning.isPending}
      error={cloning.error}
      onSubmit={() => cloning.mutate(undefined, { onSuccess: onClose })}
    >
      <p>
        The new environment is added to {describeCount(projectCount, "project")}. Flags get the same
        strategies and variants there, and {describeCount(enabledToggleCount, "flag")}{" "}
        {enabledToggleCount === 1 ? "is" : "are"} on. Applications read it with tokens of its own.
      </p>
      <NameField value={name} onChange={setName} description={NAME_IS_FINAL} />
      <EnvironmentTypeField value={type} onChange={setType} />
    </FormDialog>
  );
}
