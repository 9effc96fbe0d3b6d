import { useState } from "react";
import { adminPath } from "../api/request.ts";
import type { ProjectSettings } from "../api/types.ts";
import { EditedResource, type EditedVersion, SaveDialog } from "../changes/edit-dialog.tsx";
import { useSave } from "../changes/use-save.ts";
import { TextField } from "../ui/fields.tsx";

interface FlagNamingDialogProps {
  /** Id of the project. */
  readonly project: string;
  readonly onClose: () => void;
}

/** Edits the pattern for names of new flags of a project. */
export function FlagNamingDialog({ project, onClose }: FlagNamingDialogProps) {
  return (
    <EditedResource<ProjectSettings>
      path={adminPath`/projects/${project}`}
      title="Names of flags"
      onClose={onClose}
    >
      {(version) => <FlagNamingForm version={version} onClose={onClose} />}
    </EditedResource>
  );
}

const SUBJECTS = {
  "featureNaming/pattern": "The pattern",
  "featureNaming/example": "The example",
  "featureNaming/description": "The explanation",
};

interface FlagNamingFormProps {
  readonly version: EditedVersion<ProjectSettings>;
  readonly onClose: () => void;
}

function FlagNamingForm({ version, onClose }: FlagNamingFormProps) {
  const { id, featureNaming } = version.value;
  const [pattern, setPattern] = useState(featureNaming?.pattern ?? "");
  const [example, setExample] = useState(featureNaming?.example ?? "");
  const [description, setDescription] = useState(featureNaming?.description ?? "");
  const saving = useSave({
    path: adminPath`/projects/${id}`,
    savePath: adminPath`/projects/${id}/settings`,
    version,
    body: {
      featureNaming:
        pattern === ""
          ? null
          : { pattern, example: example.trim(), description: description.trim() },
    },
    invalidates: [["projects"]],
    success: pattern === "" ? "New flags can have any name" : "Saved the pattern for names",
  });
  return (
    <SaveDialog
      title="Names of flags"
      submit="Save"
      version={version}
      draft={[pattern, example, description]}
      saving={saving}
      subjects={SUBJECTS}
      onClose={onClose}
    >
      <p>
        Names of new flags, copies and imported flags have to match the pattern. Flags that exist,
        or move here from another project, keep their names.
      </p>
      <TextField
        label="Pattern"
        name="featureNaming/pattern"
        value={pattern}
        onChange={setPattern}
        maxLength={500}
        isCode
        autoFocus
        placeholder="(web|app)\.[a-z-]+"
        description="A regular expression (RE2) for the whole name. Without one, every name is possible."
      />
      <TextField
        label="Example"
        name="featureNaming/example"
        value={example}
        onChange={setExample}
        maxLength={100}
        isDisabled={pattern === ""}
        description="A name that matches. The dialog for new flags shows it."
      />
      <TextField
        label="Explanation"
        name="featureNaming/description"
        value={description}
        onChange={setDescription}
        maxLength={1000}
        rows={3}
        isDisabled={pattern === ""}
        description="Says in words how flags are named."
      />
    </SaveDialog>
  );
}
