import { Checkbox } from "../ui/fields.tsx";
import { Select } from "../ui/select.tsx";
import { FLAG_TYPES } from "./flag-types.ts";

const TYPES = Object.entries(FLAG_TYPES).map(([id, { name, description }]) => ({
  id,
  label: name,
  description,
}));

interface FieldProps<Value> {
  readonly value: Value;
  readonly onChange: (value: Value) => void;
}

export function FlagTypeField(props: FieldProps<string>) {
  return <Select label="Type" choices={TYPES} {...props} />;
}

export function ImpressionDataField({ value, onChange }: FieldProps<boolean>) {
  return (
    <Checkbox
      label="Applications report each evaluation (impression data)"
      isSelected={value}
      onChange={onChange}
    />
  );
}
