import { useState } from "react";
import { adminPath, request } from "../api/request.ts";
import type { TagType } from "../api/types.ts";
import { useChange } from "../changes/use-change.ts";
import { describeNameProblem } from "../ui/describe-name-problem.ts";
import { FormDialog } from "../ui/dialog.tsx";
import { TextField } from "../ui/fields.tsx";
import { NameField } from "../ui/name-field.tsx";
import { MAX_TAG_LENGTH, MIN_TAG_LENGTH } from "./tag-value.ts";

interface TagTypeDialogProps {
  /** The type that is edited; undefined for a new one. */
  readonly edited?: TagType;
  readonly onClose: () => void;
}

/** Creates or edits a tag type. */
export function TagTypeDialog({ edited, onClose }: TagTypeDialogProps) {
  const [name, setName] = useState(edited?.name ?? "");
  const [description, setDescription] = useState(edited?.description ?? "");
  const saving = useChange({
    run: () =>
      edited === undefined
        ? request(adminPath`/tag-types`, { method: "POST", body: { name, description } })
        : request(adminPath`/tag-types/${name}`, { method: "PUT", body: { description } }),
    invalidates: [["tag-types"]],
    success: () => (edited === undefined ? `Created the tag type ${name}` : `Saved ${name}`),
    showsErrors: true,
  });
  return (
    <FormDialog
      title={edited?.name ?? "New tag type"}
      submit={edited === undefined ? "Create tag type" : "Save"}
      onClose={onClose}
      isPending={saving.isPending}
      error={saving.error}
      onSubmit={() => saving.mutate(undefined, { onSuccess: onClose })}
    >
      {edited === undefined ? (
        <NameField
          value={name}
          onChange={setName}
          maxLength={MAX_TAG_LENGTH}
          description="For example team or release. It cannot be changed later."
          validate={(text) =>
            text.length === 1
              ? `Use at least ${MIN_TAG_LENGTH} characters`
              : describeNameProblem(text)
          }
        />
      ) : null}
      <TextField
        label="Description"
        value={description}
        onChange={setDescription}
        rows={3}
        autoFocus={edited !== undefined}
      />
    </FormDialog>
  );
}
