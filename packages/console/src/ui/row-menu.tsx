import { EllipsisVertical } from "lucide-react";
import { IconButton } from "./button.tsx";
import type { Column } from "./data-table.tsx";
import { Menu, type MenuEntry } from "./menu.tsx";

interface RowMenuProps {
  /** What the actions apply to, for screen readers. */
  readonly name: string;
  readonly entries: readonly MenuEntry[];
}

/** The actions for one row of a table. */
export function RowMenu({ name, entries }: RowMenuProps) {
  if (entries.length === 0) return null;
  return (
    <Menu entries={entries}>
      <IconButton label={`Actions for ${name}`}>
        <EllipsisVertical aria-hidden />
      </IconButton>
    </Menu>
  );
}

/** The last column of a table: a menu with the actions for each row. */
export function menuColumn<Row>(
  nameOf: (row: Row) => string,
  entriesOf: (row: Row) => readonly MenuEntry[],
): Column<Row> {
  return {
    id: "actions",
    header: "Actions",
    hidesHeader: true,
    width: "4rem",
    cell: (row) => <RowMenu name={nameOf(row)} entries={entriesOf(row)} />,
  };
}
