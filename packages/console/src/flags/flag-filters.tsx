import { useMemo } from "react";
import type { FlagSummary } from "../api/types.ts";
import { toTagText } from "../tags/tag-text.ts";
import { SearchField } from "../ui/fields.tsx";
import { FilterSelect, Select } from "../ui/select.tsx";
import { sortDistinct } from "../ui/words.ts";
import type { FlagFilter } from "./filter-flags.ts";
import { describeType } from "./flag-types.ts";

interface FlagFiltersProps {
  readonly flags: readonly FlagSummary[];
  readonly filter: FlagFilter;
  readonly onChange: (changed: Partial<FlagFilter>) => void;
}

export function FlagFilters({ flags, filter, onChange }: FlagFiltersProps) {
  const types = useMemo(() => sortDistinct(flags.map(({ type }) => type)), [flags]);
  const tags = useMemo(
    () => sortDistinct(flags.flatMap((flag) => flag.tags.map(toTagText))),
    [flags],
  );
  return (
    <div className="flag-filters" role="search">
      <SearchField
        label="Search by name, description or tag"
        value={filter.query}
        onChange={(query) => onChange({ query })}
      />
      <FilterSelect
        label="Type"
        hidesLabel
        all="All types"
        choices={types.map((id) => ({ id, label: describeType(id).name }))}
        value={filter.type}
        onChange={(type) => onChange({ type })}
      />
      <FilterSelect
        label="Tag"
        hidesLabel
        all="All tags"
        choices={tags.map((id) => ({ id, label: id }))}
        value={filter.tag}
        onChange={(tag) => onChange({ tag })}
        isDisabled={tags.length === 0}
      />
      <StateSelect value={filter.state} onChange={(state) => onChange({ state })} />
    </div>
  );
}

interface StateSelectProps {
  readonly value: FlagFilter["state"];
  readonly onChange: (state: FlagFilter["state"]) => void;
}

/** A choice of active or stale flags. */
export function StateSelect(props: StateSelectProps) {
  return (
    <Select
      label="State"
      hidesLabel
      choices={[
        { id: "all", label: "All states" },
        { id: "active", label: "Active" },
        { id: "potentially-stale", label: "Potentially stale" },
        { id: "stale", label: "Stale" },
      ]}
      {...props}
    />
  );
}
