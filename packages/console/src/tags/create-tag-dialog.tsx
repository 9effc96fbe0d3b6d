import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { queries } from "../api/queries.ts";
import { adminPath, request } from "../api/request.ts";
import { useChange } from "../changes/use-change.ts";
import { FormDialog } from "../ui/dialog.tsx";
import { TextField } from "../ui/fields.tsx";
import { Select } from "../ui/select.tsx";
import { TAG_COLOURS, type TagColour } from "./tag-colours.ts";

export const MIN_TAG_LENGTH = 2;
export const MAX_TAG_LENGTH = 50;

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
    outdates: [["tags"]],
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
      <Select
        label="Type"
        choices={types.map(({ name, description }) => ({
          id: name,
          label: name,
          ...(description !== null && { description }),
        }))}
        value={type}
        onChange={setType}
        isRequired
      />
      <TextField
        label="Value"
        value={value}
        onChange={setValue}
        isRequired
        autoFocus
        maxLength={MAX_TAG_LENGTH}
        validate={(text) =>
          text !== "" && text.trim().length < MIN_TAG_LENGTH
            ? `Use at least ${MIN_TAG_LENGTH} characters`
            : undefined
        }
      />
      <Select label="Colour" choices={TAG_COLOURS} value={colour} onChange={setColour} />
    </FormDialog>
  );
}
