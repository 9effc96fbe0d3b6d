import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { adminPath, request } from "../api/request.ts";
import { useChange } from "../changes/use-change.ts";
import { NEW_FLAG_SUBJECTS, ProjectNamingHint } from "../projects/flag-naming-hint.tsx";
import { FormDialog } from "../ui/dialog.tsx";
import { TextField } from "../ui/fields.tsx";
import { NameField } from "../ui/name-field.tsx";
import { FlagTypeField, ImpressionDataField } from "./flag-fields.tsx";

interface CreateFlagDialogProps {
  readonly project: string;
  readonly onClose: () => void;
}

/** Creates a flag, and opens it. */
export function CreateFlagDialog({ project, onClose }: CreateFlagDialogProps) {
  const navigate = useNavigate();
  const [name, setName] = useState("");
  const [description, setDescription] = useState("");
  const [type, setType] = useState("release");
  const [impressionData, setImpressionData] = useState(false);
  const creation = useChange({
    run: () =>
      request(adminPath`/projects/${project}/features`, {
        method: "POST",
        body: { name, type, description, impressionData },
      }),
    invalidates: [["flags", project], ["projects"]],
    showsErrors: true,
  });
  return (
    <FormDialog
      title="New flag"
      submit="Create flag"
      draft={[name, type, description, impressionData]}
      onClose={onClose}
      isPending={creation.isPending}
      error={creation.error}
      subjects={NEW_FLAG_SUBJECTS}
      onSubmit={() =>
        creation.mutate(undefined, {
          onSuccess: () =>
            void navigate({
              to: "/projects/$project/flags/$flag",
              params: { project, flag: name },
            }),
        })
      }
    >
      <ProjectNamingHint project={project} />
      <NameField
        value={name}
        onChange={setName}
        description="Applications use this name, so it cannot be changed later."
      />
      <FlagTypeField value={type} onChange={setType} />
      <TextField label="Description" value={description} onChange={setDescription} rows={3} />
      <ImpressionDataField value={impressionData} onChange={setImpressionData} />
    </FormDialog>
  );
}
