import { useState } from "react";
import { Form } from "react-aria-components/Form";
import { adminPath, request, type Versioned } from "../api/request.ts";
import type { ProjectSettings } from "../api/types.ts";
import type { SaveInput } from "../changes/edit-dialog.tsx";
import { useChange } from "../changes/use-change.ts";
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
  const { value, etag } = edited ?? current;
  const { id, name, description, defaultStickiness } = value;
  const edit = (change: Partial<ProjectSettings>): void =>
    setEdited({ value: { ...value, ...change }, etag });
  const saving = useChange<SaveInput>({
    run: ({ ifMatch }) =>
      request(adminPath`/projects/${id}`, {
        method: "PUT",
        body: { name: name.trim(), description, defaultStickiness },
        ifMatch,
      }),
    invalidates: [["projects"]],
    success: () => `Saved ${name.trim()}`,
    showsErrors: true,
  });
  const save = (ifMatch: string | undefined): void =>
    saving.mutate({ ifMatch }, { onSuccess: () => setEdited(undefined) });
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
        save(etag);
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
        validate={(text) => (text.trim() === "" ? "A project needs a name" : undefined)}
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
      <FormError error={saving.error} conflict={{ load, overwrite: () => save(undefined) }} />
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
