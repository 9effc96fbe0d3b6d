import { Input } from "react-aria-components/Input";
import { Label } from "react-aria-components/Label";
import { NumberField as AriaNumberField } from "react-aria-components/NumberField";
import { FieldHelp, type FieldProps } from "./fields.tsx";

interface NumberFieldProps extends FieldProps<number> {
  readonly minValue?: number;
  readonly maxValue?: number;
  readonly step?: number;
  readonly formatOptions?: Intl.NumberFormatOptions;
}

export function NumberField({ label, description, validate, ...props }: NumberFieldProps) {
  return (
    <AriaNumberField
      {...props}
      className="field"
      {...(validate !== undefined && { validate: (value) => validate(value) ?? null })}
    >
      <Label>{label}</Label>
      <Input className="input" />
      <FieldHelp label={label} description={description} />
    </AriaNumberField>
  );
}
