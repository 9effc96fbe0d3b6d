import { ChevronDown } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "react-aria-components/Button";
import { Header } from "react-aria-components/Header";
import { Label } from "react-aria-components/Label";
import { ListBox, ListBoxItem, ListBoxSection } from "react-aria-components/ListBox";
import { Popover } from "react-aria-components/Popover";
import { Select as AriaSelect, SelectValue } from "react-aria-components/Select";
import { Text } from "react-aria-components/Text";
import { FieldHelp } from "./fields.tsx";
import "./select.css";

export interface Choice<Id extends string = string> {
  readonly id: Id;
  readonly label: string;
  readonly description?: string;
  /** The heading below which the choice is listed. Choices of one group follow each other. */
  readonly group?: string;
}

/** Converts something with a name and perhaps a description to a choice. */
export function toChoice({ name, description }: Described): Choice {
  return { id: name, label: name, ...(description !== null && { description }) };
}

interface Described {
  readonly name: string;
  readonly description: string | null;
}

interface SelectProps<Id extends string> {
  readonly label: string;
  readonly choices: readonly Choice<Id>[];
  readonly value: Id | null;
  readonly onChange: (id: Id) => void;
  readonly description?: ReactNode;
  readonly placeholder?: string;
  readonly isRequired?: boolean;
  readonly isDisabled?: boolean;
  /** Whether only screen readers read the label. @default false */
  readonly hidesLabel?: boolean;
}

/** A choice of one of a few values. */
export function Select<Id extends string>({
  label,
  choices,
  value,
  onChange,
  description,
  placeholder = "Select",
  hidesLabel = false,
  ...props
}: SelectProps<Id>) {
  return (
    <AriaSelect
      {...props}
      className="field select"
      placeholder={placeholder}
      selectedKey={value}
      onSelectionChange={(key) => {
        const choice = choices.find(({ id }) => id === key);
        if (choice !== undefined) onChange(choice.id);
      }}
      {...(hidesLabel && { "aria-label": label })}
    >
      {hidesLabel ? null : <Label>{label}</Label>}
      <Button className="input select-button">
        <SelectValue className="select-value">
          {({ selectedText, isPlaceholder, defaultChildren }) =>
            isPlaceholder ? defaultChildren : selectedText
          }
        </SelectValue>
        <ChevronDown aria-hidden />
      </Button>
      <FieldHelp label={label} description={description} verb="Choose" />
      <Popover className="popover">
        <ListBox className="options">{renderGroups(choices)}</ListBox>
      </Popover>
    </AriaSelect>
  );
}

function renderGroups(choices: readonly Choice[]): ReactNode {
  const groups = new Map<string | undefined, Choice[]>();
  for (const choice of choices) {
    const group = groups.get(choice.group);
    if (group === undefined) groups.set(choice.group, [choice]);
    else group.push(choice);
  }
  return [...groups].map(([group, members]) =>
    group === undefined ? (
      members.map((choice) => <ChoiceItem key={choice.id} {...choice} />)
    ) : (
      <ListBoxSection key={group}>
        <Header className="option-group">{group}</Header>
        {members.map((choice) => (
          <ChoiceItem key={choice.id} {...choice} />
        ))}
      </ListBoxSection>
    ),
  );
}

export function ChoiceItem({ id, label, description }: Choice) {
  return (
    <ListBoxItem id={id} textValue={label} className="option">
      <Text slot="label">{label}</Text>
      {description === undefined ? null : (
        <Text slot="description" className="field-description">
          {description}
        </Text>
      )}
    </ListBoxItem>
  );
}

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
