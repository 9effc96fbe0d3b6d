import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { queries } from "../api/queries.ts";
import { adminPath, request } from "../api/request.ts";
import type { FlagSummary, Tag } from "../api/types.ts";
import { useChange } from "../changes/use-change.ts";
import { describeTagProblem, toTagText } from "../tags/tag-text.ts";
import { TagTypeField } from "../tags/tag-type-field.tsx";
import { FormDialog } from "../ui/dialog.tsx";
import { NameList } from "../ui/name-list.tsx";
import { describeCount } from "../ui/numbers.ts";
import { ComboBox } from "../ui/combo-box.tsx";
import { Select } from "../ui/select.tsx";

interface BulkTagsProps {
  readonly project: string;
  readonly flags: readonly FlagSummary[];
  readonly onClose: () => void;
}

interface AddTagProps extends BulkTagsProps {
  /** The only type of the tag that can be chosen. @default any */
  readonly type?: string;
}

/** Adds a tag to flags that do not have it. */
export function AddTagToFlagsDialog({ project, flags, type: fixedType, onClose }: AddTagProps) {
  const { data: tags = [] } = useQuery(queries.tags());
  const [type, setType] = useState(fixedType ?? "simple");
  const [value, setValue] = useState("");
  const addition = useChangeTag(project, true);
  const tag = { type, value: value.trim() };
  const names = namesOf(flags.filter((flag) => !hasTag(flag, tag)));
  const what = fixedType ?? "tag";
  const subject = describeCount(flags.length, "flag");
  return (
    <FormDialog
      title={`Add ${/^[aeiou]/.test(what) ? "an" : "a"} ${what} to ${subject}`}
      submit={`Add ${what}`}
      draft={[type, value]}
      onClose={onClose}
      onSubmit={() => addition.mutate({ tag, names }, { onSuccess: onClose })}
      isPending={addition.isPending}
      error={addition.error}
    >
      {fixedType === undefined ? <TagTypeField value={type} onChange={setType} /> : null}
      <ComboBox
        label={fixedType === "owner" ? "Owner" : "Tag"}
        choices={tags
          .filter((one) => one.type === type)
          .map((one) => ({ id: one.value, label: one.value }))}
        value={value}
        onChange={setValue}
        isRequired
        autoFocus
        {...(fixedType === "owner" && {
          description:
            "A person or a team. It is stored as a tag of the type owner, by which lists can be filtered.",
        })}
        validate={describeTagProblem}
      />
      <NameList names={namesOf(flags)} />
    </FormDialog>
  );
}

/** Removes a tag from the flags that have it. */
export function RemoveTagFromFlagsDialog({ project, flags, onClose }: BulkTagsProps) {
  const removal = useChangeTag(project, false);
  const tags = new Map(flags.flatMap((flag) => flag.tags.map((tag) => [toTagText(tag), tag])));
  const choices = [...tags.keys()].toSorted();
  const [chosen, setChosen] = useState(choices[0] ?? "");
  const tag = tags.get(chosen);
  const names = tag === undefined ? [] : namesOf(flags.filter((flag) => hasTag(flag, tag)));
  return (
    <FormDialog
      title={`Remove a tag from ${describeCount(flags.length, "flag")}`}
      submit="Remove tag"
      onClose={onClose}
      onSubmit={() => {
        if (tag !== undefined) removal.mutate({ tag, names }, { onSuccess: onClose });
      }}
      isPending={removal.isPending}
      isDisabled={tag === undefined}
      error={removal.error}
    >
      <Select
        label="Tag"
        choices={choices.map((id) => ({ id, label: id }))}
        value={chosen}
        onChange={setChosen}
      />
      <p>{describeCount(names.length, "flag")} with this tag:</p>
      <NameList names={names} />
    </FormDialog>
  );
}

interface TagChange {
  readonly tag: Tag;
  /** The flags that change. */
  readonly names: readonly string[];
}

function useChangeTag(project: string, isAdded: boolean) {
  const send = ({ tag: { type, value }, names }: TagChange, adds: boolean): Promise<unknown> =>
    request(adminPath`/projects/${project}/tags`, {
      method: "PUT",
      body: {
        features: names,
        tags: adds
          ? { addedTags: [{ type, value }], removedTags: [] }
          : { addedTags: [], removedTags: [{ type, value }] },
      },
    });
  return useChange<TagChange>({
    run: (input) => send(input, isAdded),
    invalidates: [["flags", project], ["flag", project], ["tags"]],
    success: ({ tag, names }) =>
      `${isAdded ? "Added" : "Removed"} the tag ${toTagText(tag)} ${isAdded ? "to" : "from"} ${describeCount(names.length, "flag")}`,
    undo: (input) => send(input, !isAdded),
    showsErrors: true,
  });
}

function hasTag(flag: FlagSummary, tag: Tag): boolean {
  return flag.tags.some((one) => toTagText(one) === toTagText(tag));
}

function namesOf(flags: readonly FlagSummary[]): readonly string[] {
  return flags.map(({ name }) => name);
}
