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
      <Input
        className="input"
        // NOTE: the component itself reports a number only when the focus leaves it, too late for what depends on it.
        onInput={({ currentTarget }) => {
          const typed = parseTyped(currentTarget.value, props);
          if (typed !== undefined) props.onChange(typed);
        }}
      />
      <FieldHelp label={label} description={description} />
    </AriaNumberField>
  );
}

/** Returns the number in a text, if it is one that the field accepts as it is. */
export function parseTyped(
  text: string,
  {
    minValue = -Infinity,
    maxValue = Infinity,
    step,
  }: Pick<NumberFieldProps, "maxValue" | "minValue" | "step">,
): number | undefined {
  if (!/^-?\d+(?:\.\d+)?$/.test(text)) return undefined;
  const number = Number(text);
  const steps = step === undefined ? 0 : number / step;
  const isStep = Math.abs(steps - Math.round(steps)) < 1e-9;
  return isStep && number >= minValue && number <= maxValue ? number : undefined;
}
