import { useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useState } from "react";
import { queries } from "../api/queries.ts";
import { adminPath, request } from "../api/request.ts";
import type { Flag, Tag } from "../api/types.ts";
import { useChange } from "../changes/use-change.ts";
import { TagTypeField } from "../tags/tag-type-field.tsx";
import { describeTagProblem, toTagText } from "../tags/tag-text.ts";
import { Button } from "../ui/button.tsx";
import { Chips } from "../ui/chips.tsx";
import { FormDialog } from "../ui/dialog.tsx";
import { ComboBox } from "../ui/combo-box.tsx";
import { useCanEdit } from "./use-can-edit.ts";

function keysOf({ project, name }: Flag) {
  return [["flag", project, name], ["flags", project], ["tags"]];
}

function addTag({ name }: Flag, body: Tag): Promise<unknown> {
  return request(adminPath`/features/${name}/tags`, { method: "POST", body });
}

function removeTag({ name }: Flag, { type, value }: Tag): Promise<unknown> {
  return request(adminPath`/features/${name}/tags/${type}/${value}`, { method: "DELETE" });
}

/** The tags of a flag. */
export function FlagTags({ flag }: { readonly flag: Flag }) {
  const canEdit = useCanEdit(flag);
  const [isAdding, setAdding] = useState(false);
  const removal = useChange<Tag>({
    run: (tag) => removeTag(flag, tag),
    invalidates: keysOf(flag),
    success: (tag) => `Removed the tag ${toTagText(tag)}`,
    undo: (tag) => addTag(flag, tag),
  });
  const { tags } = flag;
  if (tags.length === 0 && !canEdit) return null;
  return (
    <div className="row">
      {tags.length === 0 ? null : (
        <Chips
          label="Tags"
          values={tags.map(toTagText)}
          onRemove={
            canEdit
              ? (text) => {
                  const tag = tags.find((entry) => toTagText(entry) === text);
                  if (tag !== undefined) removal.mutate(tag);
                }
              : undefined
          }
        />
      )}
      {canEdit ? (
        <Button size="small" variant="quiet" onPress={() => setAdding(true)}>
          <Plus aria-hidden /> Add tag
        </Button>
      ) : null}
      {isAdding ? <AddTagDialog flag={flag} onClose={() => setAdding(false)} /> : null}
    </div>
  );
}

interface AddTagDialogProps {
  readonly flag: Flag;
  readonly onClose: () => void;
}

function AddTagDialog({ flag, onClose }: AddTagDialogProps) {
  const { data: tags = [] } = useQuery(queries.tags());
  const [type, setType] = useState("simple");
  const [value, setValue] = useState("");
  const addition = useChange({
    run: () => addTag(flag, { type, value: value.trim() }),
    invalidates: keysOf(flag),
    success: () => `Added the tag ${type}:${value.trim()}`,
    undo: () => removeTag(flag, { type, value: value.trim() }),
    showsErrors: true,
  });
  return (
    <FormDialog
      title="Add a tag"
      submit="Add tag"
      draft={[type, value]}
      onClose={onClose}
      onSubmit={() => addition.mutate(undefined, { onSuccess: onClose })}
      isPending={addition.isPending}
      error={addition.error}
    >
      <TagTypeField value={type} onChange={setType} />
      <ComboBox
        label="Tag"
        choices={tags
          .filter((tag) => tag.type === type)
          .map((tag) => ({ id: tag.value, label: tag.value }))}
        value={value}
        onChange={setValue}
        isRequired
        autoFocus
        validate={describeTagProblem}
      />
    </FormDialog>
  );
}
