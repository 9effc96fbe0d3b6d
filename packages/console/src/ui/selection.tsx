import type { ReactNode } from "react";
import { Button } from "./button.tsx";
import type { Column } from "./data-table.tsx";
import { Checkbox } from "./fields.tsx";
import "./selection.css";

interface SelectionProps {
  readonly label: string;
  /** How much is selected, for example "3 flags". */
  readonly count: string;
  readonly onClear: () => void;
  /** Buttons for what can be done with the selection. */
  readonly children: ReactNode;
}

/** What can be done with the selected rows of a table. */
export function Selection({ label, count, onClear, children }: SelectionProps) {
  return (
    <div className="selection card" role="group" aria-label={label}>
      <strong>{count} selected</strong>
      {children}
      <Button size="small" variant="quiet" onPress={onClear}>
        Clear selection
      </Button>
    </div>
  );
}

/** Returns a copy of a set with or without an entry. */
export function withEntry(
  set: ReadonlySet<string>,
  entry: string,
  isIncluded: boolean,
): ReadonlySet<string> {
  const changed = new Set(set);
  if (isIncluded) changed.add(entry);
  else changed.delete(entry);
  return changed;
}

interface SelectionColumnOptions<Row> {
  /** The rows that can be selected. */
  readonly selectable: readonly Row[];
  /** Names of rows, which need not be shown. */
  readonly selected: ReadonlySet<string>;
  readonly onChange: (selected: ReadonlySet<string>) => void;
}

/** A column of a table of flags, with a checkbox for each flag that can be selected, and one for all of them. */
export function selectionColumn<Row extends { readonly name: string }>({
  selectable,
  selected,
  onChange,
}: SelectionColumnOptions<Row>): Column<Row> {
  const names = new Set(selectable.map(({ name }) => name));
  const count = selectable.filter(({ name }) => selected.has(name)).length;
  return {
    id: "select",
    header: "Select all",
    width: "2.75rem",
    headerContent: (
      <Checkbox
        label="Select all flags"
        hidesLabel
        isSelected={count > 0 && count === selectable.length}
        isIndeterminate={count > 0 && count < selectable.length}
        onChange={(isSelected) => onChange(isSelected ? names : new Set())}
      />
    ),
    cell: ({ name }) =>
      names.has(name) ? (
        <Checkbox
          label={`Select ${name}`}
          hidesLabel
          isSelected={selected.has(name)}
          onChange={(isSelected) => onChange(withEntry(selected, name, isSelected))}
        />
      ) : null,
  };
}
