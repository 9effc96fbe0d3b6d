import { useState } from "react";
import { Form } from "react-aria-components/Form";
import { adminPath, type Versioned } from "../api/request.ts";
import type { ProjectSettings } from "../api/types.ts";
import { useSave } from "../changes/use-save.ts";
import { StickinessField } from "../strategies/stickiness-field.tsx";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/fields.tsx";
import { FormError } from "../ui/form-error.tsx";

interface ProjectFormProps {
  readonly current: Versioned<ProjectSettings>;
  readonly isDisabled: boolean;
}

/** Edits the name, the description and the default stickiness of a project. */
export function ProjectForm({ current, isDisabled }: ProjectFormProps) {
  // Follows changes by others until something is typed.
  const [edited, setEdited] = useState<Versioned<ProjectSettings>>();
  const version = edited ?? current;
  const { value } = version;
  const { id, name, description, defaultStickiness } = value;
  const edit = (change: Partial<ProjectSettings>): void =>
    setEdited({ ...version, value: { ...value, ...change } });
  const saving = useSave({
    path: adminPath`/projects/${id}`,
    version,
    body: { name: name.trim(), description, defaultStickiness },
    invalidates: [["projects"]],
    success: `Saved ${name.trim()}`,
  });
  const save = (overwrites: boolean): void =>
    saving.mutate({ overwrites }, { onSuccess: () => setEdited(undefined) });
  const load = (): void => {
    setEdited(undefined);
    saving.reset();
  };
  return (
    <Form
      className="settings-section"
      aria-labelledby="general-heading"
      onSubmit={(event) => {
        event.preventDefault();
        save(false);
      }}
    >
      <h2 id="general-heading">General</h2>
      <TextField
        label="Name"
        value={name}
        onChange={(text) => edit({ name: text })}
        isRequired
        isDisabled={isDisabled}
        maxLength={200}
        description={`Project id: ${id}`}
        validate={(text) => (text.trim() === "" ? "Enter a name." : undefined)}
      />
      <TextField
        label="Description"
        value={description ?? ""}
        onChange={(text) => edit({ description: text })}
        isDisabled={isDisabled}
        rows={3}
      />
      <StickinessField
        label="Default stickiness"
        value={defaultStickiness}
        onChange={(stickiness) => edit({ defaultStickiness: stickiness })}
        isDisabled={isDisabled}
        description="What keeps a user in the same group of a rollout. New strategies start with it; existing ones keep theirs."
      />
      <FormError error={saving.error} conflict={{ load, overwrite: () => save(true) }} />
      {isDisabled ? null : (
        <div>
          <Button
            type="submit"
            variant="primary"
            isPending={saving.isPending}
            isDisabled={edited === undefined}
          >
            Save
          </Button>
        </div>
      )}
    </Form>
  );
}
