import { Columns3 } from "lucide-react";
import { Menu, MenuItem, MenuTrigger } from "react-aria-components/Menu";
import { Popover } from "react-aria-components/Popover";
import { Button } from "../ui/button.tsx";

interface ColumnChoiceProps {
  readonly columns: readonly { readonly id: string; readonly label: string }[];
  readonly hidden: ReadonlySet<string>;
  readonly onChange: (hidden: ReadonlySet<string>) => void;
}

/** A menu of the columns of a list, each of which can be hidden. */
export function ColumnChoice({ columns, hidden, onChange }: ColumnChoiceProps) {
  const shown = columns.filter(({ id }) => !hidden.has(id)).map(({ id }) => id);
  return (
    <MenuTrigger>
      <Button size="small">
        <Columns3 aria-hidden /> Columns
      </Button>
      <Popover className="popover">
        <Menu
          className="options"
          selectionMode="multiple"
          selectedKeys={shown}
          onSelectionChange={(keys) => {
            // Those of other projects stay hidden.
            const others = [...hidden].filter((id) => !columns.some((column) => column.id === id));
            const unchosen = columns.filter(({ id }) => keys !== "all" && !keys.has(id));
            onChange(new Set([...others, ...unchosen.map(({ id }) => id)]));
          }}
        >
          {columns.map(({ id, label }) => (
            <MenuItem key={id} id={id} textValue={label} className="option column-option">
              {label}
            </MenuItem>
          ))}
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
