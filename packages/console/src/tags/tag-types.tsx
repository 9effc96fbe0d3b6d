import { useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useState } from "react";
import { queries } from "../api/queries.ts";
import { adminPath, request } from "../api/request.ts";
import type { TagType } from "../api/types.ts";
import { DeleteDialog } from "../changes/delete-dialog.tsx";
import { useChange } from "../changes/use-change.ts";
import { useHasRole } from "../session/session.ts";
import { Button } from "../ui/button.tsx";
import { type Column, DataTable } from "../ui/data-table.tsx";
import { describeNameProblem } from "../ui/describe-name-problem.ts";
import { FormDialog } from "../ui/dialog.tsx";
import { Empty } from "../ui/empty.tsx";
import { TextField } from "../ui/fields.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { NameField } from "../ui/name-field.tsx";
import { menuColumn } from "../ui/menu.tsx";
import { MAX_TAG_LENGTH, MIN_TAG_LENGTH } from "./tag-text.ts";
import "./tags.css";

interface Action {
  readonly kind: "delete" | "edit";
  readonly type: TagType;
}

/** The types of tags, such as a team or a release. */
export function TagTypes() {
  const types = useQuery(queries.tagTypes());
  const isAdmin = useHasRole("admin");
  const [isCreating, setCreating] = useState(false);
  const [action, setAction] = useState<Action>();
  const close = (): void => setAction(undefined);
  const actions: Column<TagType> = menuColumn(
    (type) => type.name,
    (type) => [
      { label: "Edit", run: () => setAction({ kind: "edit", type }) },
      { label: "Delete", isDangerous: true, run: () => setAction({ kind: "delete", type }) },
    ],
  );
  return (
    <div className="stack">
      <div className="row">
        <p className="muted tag-types-note">Every tag has a type, for example team or release.</p>
        {isAdmin ? (
          <Button variant="primary" onPress={() => setCreating(true)}>
            <Plus aria-hidden /> New tag type
          </Button>
        ) : null}
      </div>
      <Loaded query={types}>
        {(all) =>
          all.length === 0 ? (
            <Empty title="There are no tag types yet">
              <p>Flags can have tags as soon as there is a type for them.</p>
            </Empty>
          ) : (
            <DataTable
              label="Tag types"
              rows={all}
              keyOf={({ name }) => name}
              columns={[...COLUMNS, ...(isAdmin ? [actions] : [])]}
            />
          )
        }
      </Loaded>
      {isCreating ? <TagTypeDialog onClose={() => setCreating(false)} /> : null}
      {action?.kind === "edit" ? <TagTypeDialog edited={action.type} onClose={close} /> : null}
      {action?.kind === "delete" ? (
        <DeleteDialog
          subject={`the tag type ${action.type.name}`}
          path={adminPath`/tag-types/${action.type.name}`}
          invalidates={[["tag-types"], ["tags"]]}
          onClose={close}
        >
          <p>
            The tags of this type are deleted too. This is possible only while no flag has any of
            them.
          </p>
        </DeleteDialog>
      ) : null}
    </div>
  );
}

const COLUMNS: readonly Column<TagType>[] = [
  { id: "name", header: "Name", width: "30%", isRowHeader: true, cell: ({ name }) => name },
  { id: "description", header: "Description", cell: ({ description }) => description },
];

interface TagTypeDialogProps {
  /** The type that is edited; undefined for a new one. */
  readonly edited?: TagType;
  readonly onClose: () => void;
}

/** Creates or edits a tag type. */
function TagTypeDialog({ edited, onClose }: TagTypeDialogProps) {
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
      draft={[name, description]}
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
