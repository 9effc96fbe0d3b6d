import { Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { adminPath } from "../api/request.ts";
import type { ProjectSettings } from "../api/types.ts";
import { EditedResource, type EditedVersion, SaveDialog } from "../changes/edit-dialog.tsx";
import { useSave } from "../changes/use-save.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { TextField } from "../ui/fields.tsx";
import { useListEditing, useUpdates } from "../ui/list-editing.ts";

/** The most links that the service accepts. */
const MAX_LINKS = 10;

type Links = ProjectSettings["linkTemplates"];

interface FlagLinksDialogProps {
  /** Id of the project. */
  readonly project: string;
  readonly onClose: () => void;
}

/** Edits the links that every flag of a project has. */
export function FlagLinksDialog({ project, onClose }: FlagLinksDialogProps) {
  return (
    <EditedResource<ProjectSettings>
      path={adminPath`/projects/${project}`}
      title="Links of flags"
      size="wide"
      onClose={onClose}
    >
      {(version) => <FlagLinksForm version={version} onClose={onClose} />}
    </EditedResource>
  );
}

const SUBJECTS = Object.fromEntries(
  Array.from({ length: MAX_LINKS }, (_, index) => [
    `linkTemplates/${index}/urlTemplate`,
    "The address",
  ]),
);

interface FlagLinksFormProps {
  readonly version: EditedVersion<ProjectSettings>;
  readonly onClose: () => void;
}

function FlagLinksForm({ version, onClose }: FlagLinksFormProps) {
  const { id } = version.value;
  const [links, setLinks] = useState<Links>(version.value.linkTemplates);
  const update = useUpdates(links, setLinks);
  const editing = useListEditing(links, update);
  const saving = useSave({
    path: adminPath`/projects/${id}`,
    savePath: adminPath`/projects/${id}/settings`,
    version,
    body: { linkTemplates: links },
    invalidates: [["projects"], ["flag", id]],
    success: "Saved the links of flags",
  });
  return (
    <SaveDialog
      title="Links of flags"
      size="wide"
      submit="Save"
      version={version}
      draft={links}
      saving={saving}
      subjects={SUBJECTS}
      onClose={onClose}
    >
      <p>
        Every flag of the project has these links. In an address, <code>{"{{feature}}"}</code>{" "}
        stands for the name of the flag, and <code>{"{{project}}"}</code> for the id of the project.
      </p>
      <ul className="link-templates">
        {links.map(({ title, urlTemplate }, index) => (
          <li key={editing.keys[index]} className="link-template">
            <TextField
              label="Title"
              value={title ?? ""}
              onChange={(text) =>
                editing.change(index, (link) => ({ ...link, title: text === "" ? null : text }))
              }
              maxLength={100}
              placeholder="Code"
              autoFocus={editing.isNew(index)}
            />
            <TextField
              label="Address"
              name={`linkTemplates/${index}/urlTemplate`}
              value={urlTemplate}
              onChange={(text) => editing.change(index, (link) => ({ ...link, urlTemplate: text }))}
              maxLength={1000}
              isRequired
              placeholder="https://git.example.com/search?q={{feature}}"
            />
            <IconButton
              label={`Remove ${title ?? (urlTemplate || "the link")}`}
              onPress={() => editing.remove(index)}
            >
              <Trash2 aria-hidden />
            </IconButton>
          </li>
        ))}
      </ul>
      <div>
        <Button
          ref={editing.addButton}
          onPress={() => editing.add({ title: null, urlTemplate: "" })}
          isDisabled={links.length >= MAX_LINKS}
        >
          <Plus aria-hidden /> Add link
        </Button>
      </div>
    </SaveDialog>
  );
}
