import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { queries } from "../api/queries.ts";
import { adminPath, request } from "../api/request.ts";
import { useChange } from "../changes/use-change.ts";
import { FormDialog } from "../ui/dialog.tsx";
import { TextField } from "../ui/fields.tsx";
import { Select } from "../ui/select.tsx";
import { TAG_COLOURS, type TagColour } from "./tag-colours.ts";
import { TagTypeField } from "./tag-type-field.tsx";
import { describeTagProblem, MAX_TAG_LENGTH } from "./tag-value.ts";

export function CreateTagDialog({ onClose }: { readonly onClose: () => void }) {
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
