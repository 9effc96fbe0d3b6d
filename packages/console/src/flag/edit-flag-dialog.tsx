import { useState } from "react";
import { adminPath, request, type Versioned } from "../api/request.ts";
import type { Flag } from "../api/types.ts";
import { useChange } from "../changes/use-change.ts";
import { Edited } from "../changes/edited.tsx";
import { FlagTypeField, ImpressionDataField } from "../flags/flag-fields.tsx";
import { FormDialog } from "../ui/dialog.tsx";
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
      {(loaded, reload) => <LoadedFlag loaded={loaded} onLoad={reload} onClose={onClose} />}
    </Edited>
  );
}

interface LoadedFlagProps {
  readonly loaded: Versioned<Flag>;
  readonly onLoad: () => void;
  readonly onClose: () => void;
}

function LoadedFlag({ loaded: { value, etag }, onLoad, onClose }: LoadedFlagProps) {
  const { project, name } = value;
  const [type, setType] = useState(value.type);
  const [description, setDescription] = useState(value.description ?? "");
  const [impressionData, setImpressionData] = useState(value.impressionData);
  const path = adminPath`/projects/${project}/features/${name}`;
  const edit = useChange<{ readonly overwrites: boolean }>({
    run: ({ overwrites }) =>
      request(path, {
        method: "PUT",
        body: { type, description, impressionData },
        ifMatch: overwrites ? undefined : etag,
      }),
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
  const submit = (overwrites: boolean): void => edit.mutate({ overwrites }, { onSuccess: onClose });
  return (
    <FormDialog
      title={`Edit ${name}`}
      submit="Save"
      onClose={onClose}
      onSubmit={() => submit(false)}
      conflict={{ load: onLoad, overwrite: () => submit(true) }}
      isPending={edit.isPending}
      error={edit.error}
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
    </FormDialog>
  );
}
