import { useMemo } from "react";
import type { FlagSummary } from "../api/types.ts";
import { SearchField } from "../ui/fields.tsx";
import { Select } from "../ui/select.tsx";
import { type FlagFilter, toTagText } from "./filter-flags.ts";
import { describeType } from "./flag-types.ts";

/** An entry of a filter that selects nothing. The list of choices cannot contain an empty id. */
const ALL = "(all)";

interface FlagFiltersProps {
  readonly flags: readonly FlagSummary[];
  readonly filter: FlagFilter;
  readonly onChange: (filter: FlagFilter) => void;
}

export function FlagFilters({ flags, filter, onChange }: FlagFiltersProps) {
  const types = useMemo(() => distinct(flags.map(({ type }) => type)), [flags]);
  const tags = useMemo(() => distinct(flags.flatMap((flag) => flag.tags.map(toTagText))), [flags]);
  return (
    <div className="flag-filters" role="search">
      <SearchField
        label="Search by name, description or tag"
        value={filter.query}
        onChange={(query) => onChange({ ...filter, query })}
      />
      <Select
        label="Type"
        hidesLabel
        choices={[
          { id: ALL, label: "All types" },
          ...types.map((id) => ({ id, label: describeType(id).name })),
        ]}
        value={filter.type === "" ? ALL : filter.type}
        onChange={(id) => onChange({ ...filter, type: id === ALL ? "" : id })}
      />
      <Select
        label="Tag"
        hidesLabel
        choices={[{ id: ALL, label: "All tags" }, ...tags.map((id) => ({ id, label: id }))]}
        value={filter.tag === "" ? ALL : filter.tag}
        onChange={(id) => onChange({ ...filter, tag: id === ALL ? "" : id })}
        isDisabled={tags.length === 0}
      />
      <Select
        label="State"
        hidesLabel
        choices={[
          { id: "all", label: "Active and stale" },
          { id: "active", label: "Active" },
          { id: "stale", label: "Stale" },
        ]}
        value={filter.state}
        onChange={(state) => onChange({ ...filter, state })}
      />
    </div>
  );
}

function distinct(values: readonly string[]): readonly string[] {
  return [...new Set(values)].toSorted();
}
