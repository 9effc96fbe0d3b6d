import { ChevronDown } from "lucide-react";
import { type ReactNode, useContext } from "react";
import { Button } from "react-aria-components/Button";
import { ComboBox as AriaComboBox, ComboBoxStateContext } from "react-aria-components/ComboBox";
import { Input } from "react-aria-components/Input";
import { Label } from "react-aria-components/Label";
import { ListBox } from "react-aria-components/ListBox";
import { Popover } from "react-aria-components/Popover";
import { FieldHelp } from "./fields.tsx";
import { type Choice, ChoiceItem } from "./select.tsx";
import "./select.css";

interface ComboBoxProps {
  readonly label: string;
  readonly choices: readonly Choice[];
  /** The text in the field. */
  readonly value: string;
  /** Called for each change of the text, including the choice of a value. */
  readonly onChange: (text: string) => void;
  /** Called after `onChange` when a suggestion was chosen. */
  readonly onChoose?: (choice: Choice) => void;
  readonly description?: ReactNode;
  readonly placeholder?: string;
  readonly isRequired?: boolean;
  readonly isDisabled?: boolean;
  readonly autoFocus?: boolean;
  /** Returns what is wrong with the text; undefined or null if it is valid. */
  readonly validate?: (text: string) => string | null | undefined;
}

/** A text field that suggests values, and accepts others. */
export function ComboBox({
  label,
  choices,
  value,
  onChange,
  onChoose,
  description,
  placeholder,
  validate,
  ...props
}: ComboBoxProps) {
  return (
    <AriaComboBox
      {...props}
      className="field select"
      allowsCustomValue
      inputValue={value}
      onInputChange={onChange}
      onSelectionChange={(key) => {
        const choice = choices.find(({ id }) => id === key);
        if (choice === undefined) return;
        onChange(choice.label);
        onChoose?.(choice);
      }}
      // NOTE: without a selected entry, the parent can clear the text when one was chosen.
      {...(onChoose !== undefined && { selectedKey: null })}
      defaultItems={choices}
      {...(validate !== undefined && {
        validate: ({ inputValue }) => validate(inputValue) ?? null,
      })}
    >
      <Label>{label}</Label>
      <div className="combo">
        <ComboBoxInput {...(placeholder !== undefined && { placeholder })} />
        <Button className="combo-button" aria-label="Show suggestions">
          <ChevronDown aria-hidden />
        </Button>
      </div>
      <FieldHelp label={label} description={description} />
      <Popover className="popover">
        <ListBox className="options">{ChoiceItem}</ListBox>
      </Popover>
    </AriaComboBox>
  );
}

/** NOTE: the focus alone does not open the list, because a form moves the focus to what is missing. */
function ComboBoxInput({ placeholder }: Pick<ComboBoxProps, "placeholder">) {
  const state = useContext(ComboBoxStateContext);
  return (
    <Input
      className="input"
      onClick={() => state?.open(null, "manual")}
      {...(placeholder !== undefined && { placeholder })}
    />
  );
}
