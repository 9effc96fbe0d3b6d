import { EllipsisVertical } from "lucide-react";
import type { ReactNode } from "react";
import { Header } from "react-aria-components/Header";
import { Menu as AriaMenu, MenuItem, MenuSection, MenuTrigger } from "react-aria-components/Menu";
import { Popover } from "react-aria-components/Popover";
import { IconButton } from "./button.tsx";
import type { Column } from "./data-table.tsx";
import "./select.css";

export interface MenuEntry {
  readonly label: string;
  readonly run: () => void;
  readonly isDisabled?: boolean;
  /** Why it is disabled, which it then is. */
  readonly disabledReason?: string | undefined;
  /** Whether the action deletes something. @default false */
  readonly isDangerous?: boolean;
}

/** Actions with a text above them. */
export interface MenuGroup {
  readonly heading: string;
  readonly entries: readonly MenuEntry[];
}

interface MenuProps {
  /** The button that opens the menu. */
  readonly children: ReactNode;
  readonly entries?: readonly MenuEntry[];
  /** Shown after `entries`. Their headings differ. */
  readonly groups?: readonly MenuGroup[];
}

/** A button that offers several actions. */
export function Menu({ children, entries = [], groups = [] }: MenuProps) {
  return (
    <MenuTrigger>
      {children}
      <Popover className="popover">
        <AriaMenu className="options">
          {entries.map((entry) => renderEntry(entry))}
          {groups.map(({ heading, entries: grouped }) => (
            <MenuSection key={heading} className="option-section">
              <Header className="option-group">{heading}</Header>
              {grouped.map((entry) => renderEntry(entry, heading))}
            </MenuSection>
          ))}
        </AriaMenu>
      </Popover>
    </MenuTrigger>
  );
}

function renderEntry(
  {
    label,
    run,
    disabledReason,
    isDisabled = disabledReason !== undefined,
    isDangerous = false,
  }: MenuEntry,
  heading = "",
): ReactNode {
  const id = `${heading} ${label}`;
  return (
    <MenuItem
      key={id}
      id={id}
      textValue={label}
      onAction={run}
      isDisabled={isDisabled}
      className={isDangerous ? "option option-danger" : "option"}
    >
      {disabledReason === undefined ? (
        label
      ) : (
        <>
          <span className="option-disabled">{label}</span>
          <span className="option-reason">{disabledReason}</span>
        </>
      )}
    </MenuItem>
  );
}

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
