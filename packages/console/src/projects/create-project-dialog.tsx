import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { queries } from "../api/queries.ts";
import { adminPath, request } from "../api/request.ts";
import type { Project } from "../api/types.ts";
import { useChange } from "../changes/use-change.ts";
import { CheckboxList } from "../ui/checkbox-list.tsx";
import { FormDialog } from "../ui/dialog.tsx";
import { describeNameProblem } from "../ui/describe-name-problem.ts";
import { TextField } from "../ui/fields.tsx";
import { Select } from "../ui/select.tsx";
import { PROJECT_MODES } from "./project-modes.ts";
import { toProjectId } from "./to-project-id.ts";

export function CreateProjectDialog({ onClose }: { readonly onClose: () => void }) {
  const navigate = useNavigate();
  const { data: all = [] } = useQuery(queries.environments());
  const [name, setName] = useState("");
  const [typedId, setTypedId] = useState<string>();
  const [description, setDescription] = useState("");
  const [mode, setMode] = useState<Project["mode"]>("open");
  const [chosen, setChosen] = useState<readonly string[]>();
  const id = typedId ?? toProjectId(name);
  const environments =
    chosen ?? all.filter(({ enabled }) => enabled).map((environment) => environment.name);
  const creation = useChange({
    run: () =>
      request<{ readonly id: string }>(adminPath`/projects`, {
        method: "POST",
        body: { id, name: name.trim(), description, environments, mode },
      }),
    invalidates: [["projects"], ["environments"]],
    success: () => `Created ${name.trim()}`,
    showsErrors: true,
  });
  return (
    <FormDialog
      title="New project"
      submit="Create project"
      draft={[name, typedId, description, mode, chosen]}
      onClose={onClose}
      isPending={creation.isPending}
      error={creation.error}
      onSubmit={() =>
        creation.mutate(undefined, {
          onSuccess: (outcome) => {
            if (!("result" in outcome)) return;
            const { id: project } = outcome.result;
            void navigate({ to: "/projects/$project/flags", params: { project } });
          },
        })
      }
    >
      <TextField
        label="Name"
        name="name"
        value={name}
        onChange={setName}
        isRequired
        autoFocus
        maxLength={200}
      />
      <TextField
        label="Id"
        value={id}
        onChange={setTypedId}
        isRequired
        maxLength={100}
        description="It becomes part of URLs and API tokens, so it cannot be changed later."
        validate={describeNameProblem}
      />
      <TextField label="Description" value={description} onChange={setDescription} rows={3} />
      <Select
        label="Who sees and changes the project"
        choices={PROJECT_MODES}
        value={mode}
        onChange={setMode}
      />
      <CheckboxList
        label="Environments"
        choices={all.map((environment) => ({ id: environment.name, label: environment.name }))}
        value={environments}
        onChange={setChosen}
      />
    </FormDialog>
  );
}
