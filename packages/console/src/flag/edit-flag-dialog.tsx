import { useState } from "react";
import { adminPath, request, type Versioned } from "../api/request.ts";
import type { Flag } from "../api/types.ts";
import { useChange } from "../changes/use-change.ts";
import { Edited, SaveDialog, type SaveInput } from "../changes/edit-dialog.tsx";
import { FlagTypeField, ImpressionDataField } from "../flags/flag-fields.tsx";
import { TextField } from "../ui/fields.tsx";

interface EditFlagDialogProps {
  readonly flag: Pick<Flag, "project" | "name">;
  readonly onClose: () => void;
}

/** Edits the properties of a flag that all environments share. */
export function EditFlagDialog({ flag: { project, name }, onClose }: EditFlagDialogProps) {
  return (
    <Edited<Flag>
      path={adminPath`/projects/${project}/features/${name}`}
      title={`Edit ${name}`}
      onClose={onClose}
    >
      {(version, reload) => <FlagDialog version={version} onLoad={reload} onClose={onClose} />}
    </Edited>
  );
}

interface FlagDialogProps {
  readonly version: Versioned<Flag>;
  readonly onLoad: () => void;
  readonly onClose: () => void;
}

function FlagDialog({ version, onLoad, onClose }: FlagDialogProps) {
  const { value } = version;
  const { project, name } = value;
  const [type, setType] = useState(value.type);
  const [description, setDescription] = useState(value.description ?? "");
  const [impressionData, setImpressionData] = useState(value.impressionData);
  const path = adminPath`/projects/${project}/features/${name}`;
  const saving = useChange<SaveInput>({
    run: ({ ifMatch }) =>
      request(path, { method: "PUT", body: { type, description, impressionData }, ifMatch }),
    invalidates: [
      ["flag", project, name],
      ["flags", project],
    ],
    success: () => `Saved ${name}`,
    undo: () =>
      request(path, {
        method: "PUT",
        body: {
          type: value.type,
          description: value.description,
          impressionData: value.impressionData,
        },
      }),
    showsErrors: true,
  });
  return (
    <SaveDialog
      title={`Edit ${name}`}
      submit="Save"
      version={version}
      saving={saving}
      onLoad={onLoad}
      onClose={onClose}
    >
      <TextField
        label="Description"
        value={description}
        onChange={setDescription}
        rows={3}
        maxLength={10_000}
        autoFocus
      />
      <FlagTypeField value={type} onChange={setType} />
      <ImpressionDataField value={impressionData} onChange={setImpressionData} />
    </SaveDialog>
  );
}
