import type { ReactNode } from "react";
import { Menu as AriaMenu, MenuItem, MenuTrigger } from "react-aria-components/Menu";
import { Popover } from "react-aria-components/Popover";
import "./select.css";

export interface MenuEntry {
  readonly label: string;
  readonly run: () => void;
  readonly isDisabled?: boolean;
  /** Whether the action deletes something. @default false */
  readonly isDangerous?: boolean;
}

interface MenuProps {
  /** The button that opens the menu. */
  readonly children: ReactNode;
  readonly entries: readonly MenuEntry[];
}

/** A button that offers several actions. */
export function Menu({ children, entries }: MenuProps) {
  return (
    <MenuTrigger>
      {children}
      <Popover className="popover">
        <AriaMenu className="options">
          {entries.map(({ label, run, isDisabled = false, isDangerous = false }) => (
            <MenuItem
              key={label}
              id={label}
              onAction={run}
              isDisabled={isDisabled}
              className={isDangerous ? "option option-danger" : "option"}
            >
              {label}
            </MenuItem>
          ))}
        </AriaMenu>
      </Popover>
    </MenuTrigger>
  );
}
