import { type Choice, Select } from "./select.tsx";

/** The id of the choice that matches everything. NOTE: a list cannot contain an empty id. */
const ALL = "(all)";

interface FilterSelectProps {
  readonly label: string;
  /** The label of the choice that matches everything. */
  readonly all: string;
  readonly choices: readonly Choice[];
  /** Empty if everything matches. */
  readonly value: string;
  readonly onChange: (id: string) => void;
  readonly isDisabled?: boolean;
  /** Whether only screen readers read the label. @default false */
  readonly hidesLabel?: boolean;
}

/** Restricts a list to one of a few values, or shows all of it. */
export function FilterSelect({ all, choices, value, onChange, ...props }: FilterSelectProps) {
  return (
    <Select
      {...props}
      choices={[{ id: ALL, label: all }, ...choices]}
      value={value === "" ? ALL : value}
      onChange={(id) => onChange(id === ALL ? "" : id)}
    />
  );
}
