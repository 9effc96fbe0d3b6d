import { useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useMemo, useState } from "react";
import { queries } from "../api/queries.ts";
import { adminPath, request } from "../api/request.ts";
import type { TagDefinition } from "../api/types.ts";
import { DeleteDialog } from "../changes/delete-dialog.tsx";
import { useChange } from "../changes/use-change.ts";
import { useHasRole } from "../session/session.ts";
import { Button } from "../ui/button.tsx";
import { type Column, DataTable } from "../ui/data-table.tsx";
import { FormDialog } from "../ui/dialog.tsx";
import { Empty } from "../ui/empty.tsx";
import { SearchField, TextField } from "../ui/fields.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { menuColumn } from "../ui/menu.tsx";
import { Select } from "../ui/select.tsx";
import { useListState } from "../ui/use-list-state.ts";
import { matchesWords, toWords } from "../ui/words.ts";
import { TAG_COLOURS, type TagColour, toCssColour } from "./tag-colours.ts";
import { TagTypeField } from "./tag-type-field.tsx";
import { describeTagProblem, MAX_TAG_LENGTH, toTagText } from "./tag-text.ts";
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

/** Those of the table, not of the tabs around it. */
const TABLE_FIELDS = { query: "", sort: "" } as const;

interface TagTableProps {
  readonly tags: readonly TagDefinition[];
  readonly canEdit: boolean;
  readonly onCreate: () => void;
}

function TagTable({ tags, canEdit, onCreate }: TagTableProps) {
  const [{ query, sort }, changeList] = useListState(TABLE_FIELDS);
  const setQuery = (text: string): void => changeList({ query: text });
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
          sort={sort}
          onSort={(next) => changeList({ sort: next })}
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
    sortBy: ({ value }) => value.toLowerCase(),
    cell: ({ value, color }) => (
      <span className="tag-value">
        <Swatch colour={toCssColour(color)} />
        {value}
      </span>
    ),
  },
  {
    id: "type",
    header: "Type",
    width: "40%",
    sortBy: ({ type }) => type,
    cell: ({ type }) => type,
  },
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

function CreateTagDialog({ onClose }: { readonly onClose: () => void }) {
  const { data: types = [] } = useQuery(queries.tagTypes());
  const [chosenType, setType] = useState<string>();
  const [value, setValue] = useState("");
  const [colour, setColour] = useState<TagColour>("none");
  const type = chosenType ?? types[0]?.name ?? null;
  const creation = useChange({
    run: () =>
      request(adminPath`/tags`, {
        method: "POST",
        body: { type, value: value.trim(), color: colour === "none" ? null : colour },
      }),
    invalidates: [["tags"]],
    success: () => `Created the tag ${type}:${value.trim()}`,
    showsErrors: true,
  });
  return (
    <FormDialog
      title="New tag"
      submit="Create tag"
      draft={[chosenType, value, colour]}
      onClose={onClose}
      isPending={creation.isPending}
      error={creation.error}
      isDisabled={type === null}
      onSubmit={() => creation.mutate(undefined, { onSuccess: onClose })}
    >
      <TagTypeField value={type} onChange={setType} />
      <TextField
        label="Value"
        value={value}
        onChange={setValue}
        isRequired
        autoFocus
        maxLength={MAX_TAG_LENGTH}
        validate={describeTagProblem}
      />
      <Select label="Colour" choices={TAG_COLOURS} value={colour} onChange={setColour} />
    </FormDialog>
  );
}
