import { useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useMemo, useState } from "react";
import { queries } from "../api/queries.ts";
import { adminPath } from "../api/request.ts";
import type { TagDefinition } from "../api/types.ts";
import { DeleteDialog } from "../changes/delete-dialog.tsx";
import { useHasRole } from "../session/session.ts";
import { Button } from "../ui/button.tsx";
import { type Column, DataTable } from "../ui/data-table.tsx";
import { Empty } from "../ui/empty.tsx";
import { SearchField } from "../ui/fields.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { menuColumn } from "../ui/row-menu.tsx";
import { matchesWords, toWords } from "../ui/words.ts";
import { CreateTagDialog } from "./create-tag-dialog.tsx";
import { toCssColour } from "./tag-colours.ts";
import { toTagText } from "./to-tag-text.ts";
import "./tags.css";

/** The tags that flags can have. */
export function Tags() {
  const tags = useQuery(queries.tags());
  const canEdit = useHasRole("editor");
  const [isCreating, setCreating] = useState(false);
  return (
    <div className="stack">
      <Loaded query={tags}>
        {(all) =>
          all.length === 0 ? (
            <Empty title="There are no tags yet">
              <p>Add tags to a flag on its page, or create them here first.</p>
              {canEdit ? <Button onPress={() => setCreating(true)}>Create a tag</Button> : null}
            </Empty>
          ) : (
            <TagTable tags={all} canEdit={canEdit} onCreate={() => setCreating(true)} />
          )
        }
      </Loaded>
      {isCreating ? <CreateTagDialog onClose={() => setCreating(false)} /> : null}
    </div>
  );
}

interface TagTableProps {
  readonly tags: readonly TagDefinition[];
  readonly canEdit: boolean;
  readonly onCreate: () => void;
}

function TagTable({ tags, canEdit, onCreate }: TagTableProps) {
  const [query, setQuery] = useState("");
  const [deleted, setDeleted] = useState<TagDefinition>();
  const shown = useMemo(() => {
    const words = toWords(query);
    return tags.filter((tag) => matchesWords(words, toTagText(tag)));
  }, [tags, query]);
  const actions: Column<TagDefinition> = menuColumn(
    (tag) => toTagText(tag),
    (tag) => [{ label: "Delete", isDangerous: true, run: () => setDeleted(tag) }],
  );
  return (
    <>
      <div className="row" role="search">
        <SearchField label="Search the tags" value={query} onChange={setQuery} />
        {canEdit ? (
          <Button variant="primary" onPress={onCreate}>
            <Plus aria-hidden /> New tag
          </Button>
        ) : null}
      </div>
      {shown.length === 0 ? (
        <Empty title="No tag matches">
          <Button onPress={() => setQuery("")}>Show all tags</Button>
        </Empty>
      ) : (
        <DataTable
          label="Tags"
          rows={shown}
          keyOf={toTagText}
          columns={[...COLUMNS, ...(canEdit ? [actions] : [])]}
        />
      )}
      {deleted === undefined ? null : (
        <DeleteDialog
          subject={`the tag ${toTagText(deleted)}`}
          path={adminPath`/tags/${deleted.type}/${deleted.value}`}
          invalidates={[["tags"], ["flags"], ["flag"]]}
          onClose={() => setDeleted(undefined)}
        >
          <p>
            It is removed from every flag that has it. The flags themselves stay as they are. This
            cannot be undone.
          </p>
        </DeleteDialog>
      )}
    </>
  );
}

const COLUMNS: readonly Column<TagDefinition>[] = [
  {
    id: "tag",
    header: "Tag",
    isRowHeader: true,
    cell: ({ value, color }) => (
      <span className="tag-value">
        <Swatch colour={toCssColour(color)} />
        {value}
      </span>
    ),
  },
  { id: "type", header: "Type", width: "40%", cell: ({ type }) => type },
];

/** The colour of a tag. It has no meaning of its own, so screen readers skip it. */
function Swatch({ colour }: { readonly colour: string | undefined }) {
  return (
    <span
      aria-hidden
      className="tag-swatch"
      {...(colour !== undefined && { style: { background: colour, borderColor: colour } })}
    />
  );
}
