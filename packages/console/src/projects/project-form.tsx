import { useState } from "react";
import { Form } from "react-aria-components/Form";
import { adminPath, request } from "../api/request.ts";
import type { Project } from "../api/types.ts";
import { useChange } from "../changes/use-change.ts";
import { Button } from "../ui/button.tsx";
import { StickinessField } from "../strategies/stickiness-field.tsx";
import { TextField } from "../ui/fields.tsx";

interface ProjectFormProps {
  readonly project: Project;
  readonly isDisabled: boolean;
}

/** Edits the name, the description and the default stickiness of a project. */
export function ProjectForm({ project, isDisabled }: ProjectFormProps) {
  const [name, setName] = useState(project.name);
  const [description, setDescription] = useState(project.description ?? "");
  const [defaultStickiness, setDefaultStickiness] = useState(project.defaultStickiness);
  const saving = useChange({
    run: () =>
      request(adminPath`/projects/${project.id}`, {
        method: "PUT",
        body: { name: name.trim(), description, defaultStickiness },
      }),
    invalidates: [["projects"]],
    success: () => `Saved ${name.trim()}`,
  });
  const isChanged =
    name !== project.name ||
    description !== (project.description ?? "") ||
    defaultStickiness !== project.defaultStickiness;
  return (
    <Form
      className="settings-section"
      aria-labelledby="general-heading"
      onSubmit={(event) => {
        event.preventDefault();
        saving.mutate();
      }}
    >
      <h2 id="general-heading">General</h2>
      <TextField
        label="Name"
        value={name}
        onChange={setName}
        isRequired
        isDisabled={isDisabled}
        maxLength={200}
        description={`Project id: ${project.id}`}
        validate={(text) => (text.trim() === "" ? "A project needs a name" : undefined)}
      />
      <TextField
        label="Description"
        value={description}
        onChange={setDescription}
        isDisabled={isDisabled}
        rows={3}
      />
      <StickinessField
        label="Default stickiness"
        value={defaultStickiness}
        onChange={setDefaultStickiness}
        isDisabled={isDisabled}
        description="What keeps a user in the same group of a rollout. New strategies start with it; existing ones keep theirs."
      />
      {isDisabled ? null : (
        <div>
          <Button
            type="submit"
            variant="primary"
            isPending={saving.isPending}
            isDisabled={!isChanged}
          >
            Save
          </Button>
        </div>
      )}
    </Form>
  );
}
