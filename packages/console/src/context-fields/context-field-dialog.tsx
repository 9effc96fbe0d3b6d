import { useState } from "react";
import { adminPath } from "../api/request.ts";
import type { ContextField } from "../api/types.ts";
import { EditedResource, type EditedVersion, SaveDialog } from "../changes/edit-dialog.tsx";
import { useSave } from "../changes/use-save.ts";
import { Checkbox, TextField } from "../ui/fields.tsx";
import { NameField } from "../ui/name-field.tsx";
import { MAX_DESCRIPTION_LENGTH } from "./legal-values.ts";
import { LegalValuesEditor } from "./legal-values-editor.tsx";

interface EditContextFieldDialogProps {
  readonly name: string;
  readonly onClose: () => void;
}

/** Edits a context field as it is at the moment. */
export function EditContextFieldDialog({ name, onClose }: EditContextFieldDialogProps) {
  return (
    <EditedResource<ContextField>
      path={adminPath`/context/${name}`}
      title={name}
      size="wide"
      onClose={onClose}
    >
      {(version) => <ContextFieldDialog version={version} onClose={onClose} />}
    </EditedResource>
  );
}

interface ContextFieldDialogProps {
  /** The field that is edited; undefined for a new one. */
  readonly version?: EditedVersion<ContextField>;
  /** The only project that may use a new field. @default all projects */
  readonly project?: string;
  readonly onClose: () => void;
}

/** Creates or edits a context field. */
export function ContextFieldDialog({ version, project, onClose }: ContextFieldDialogProps) {
  const field = version?.value;
  const [name, setName] = useState(field?.name ?? "");
  const [description, setDescription] = useState(field?.description ?? "");
  const [stickiness, setStickiness] = useState(field?.stickiness ?? false);
  const [legalValues, setLegalValues] = useState(field?.legalValues ?? []);
  const body = { description, stickiness, legalValues };
  const saving = useSave({
    version,
    ...(field === undefined
      ? {
          path: adminPath`/context`,
          body: { name, project, ...body },
          success: `Created ${name}`,
        }
      : { path: adminPath`/context/${name}`, body, success: `Saved ${name}` }),
    invalidates: [["context-fields"]],
  });
  return (
    <SaveDialog
      title={field?.name ?? "New context field"}
      size="wide"
      submit={field === undefined ? "Create context field" : "Save"}
      version={version}
      draft={[name, body]}
      saving={saving}
      onClose={onClose}
    >
      {field === undefined ? (
        <NameField
          value={name}
          onChange={setName}
          description="As applications send it in the context, for example country. It cannot be changed later."
        />
      ) : null}
      <TextField
        label="Description"
        value={description}
        onChange={setDescription}
        maxLength={MAX_DESCRIPTION_LENGTH}
        rows={2}
      />
      <div className="stack-tight">
        <Checkbox
          label="Can be used for stickiness"
          isSelected={stickiness}
          onChange={setStickiness}
        />
        <p className="field-description">
          Rollouts and variants can then treat all users with the same value alike, for example
          everyone in the same company.
        </p>
      </div>
      <LegalValuesEditor values={legalValues} onChange={setLegalValues} />
    </SaveDialog>
  );
}
