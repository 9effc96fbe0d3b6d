import type { ReactNode } from "react";
import { Header } from "react-aria-components/Header";
import { Menu as AriaMenu, MenuItem, MenuSection, MenuTrigger } from "react-aria-components/Menu";
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
  /** Text above the actions. */
  readonly heading?: string | undefined;
}

/** A button that offers several actions. */
export function Menu({ children, entries, heading }: MenuProps) {
  const items = entries.map(({ label, run, isDisabled = false, isDangerous = false }) => (
    <MenuItem
      key={label}
      id={label}
      onAction={run}
      isDisabled={isDisabled}
      className={isDangerous ? "option option-danger" : "option"}
    >
      {label}
    </MenuItem>
  ));
  return (
    <MenuTrigger>
      {children}
      <Popover className="popover">
        <AriaMenu className="options">
          {heading === undefined ? (
            items
          ) : (
            <MenuSection>
              <Header className="option-group">{heading}</Header>
              {items}
            </MenuSection>
          )}
        </AriaMenu>
      </Popover>
    </MenuTrigger>
  );
}
