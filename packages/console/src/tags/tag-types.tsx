import { useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useState } from "react";
import { queries } from "../api/queries.ts";
import { adminPath } from "../api/request.ts";
import type { TagType } from "../api/types.ts";
import { DeleteDialog } from "../changes/delete-dialog.tsx";
import { useHasRole } from "../session/session.ts";
import { Button } from "../ui/button.tsx";
import { type Column, DataTable } from "../ui/data-table.tsx";
import { Empty } from "../ui/empty.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { menuColumn } from "../ui/row-menu.tsx";
import { TagTypeDialog } from "./tag-type-dialog.tsx";
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
