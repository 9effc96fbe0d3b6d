import { Plus, X } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { Form } from "react-aria-components/Form";
import { type ContextValues, STANDARD_FIELDS } from "../api/request-context.ts";
import { useAvailableFields } from "../context-fields/use-available-fields.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { Checkbox, TextField } from "../ui/fields.tsx";
import { fromLocalTime, toLocalTime } from "../ui/times.ts";
import { ownValue } from "../ui/own-value.ts";
import { ComboBox } from "../ui/combo-box.tsx";
import { describeField } from "./context.ts";
import "./context-form.css";

interface ContextFormProps {
  /** Fields to show also without a value. */
  readonly suggested: readonly string[];
  /** The context of the address. The form begins with it again whenever it changes. */
  readonly context: ContextValues;
  /** The label of the button that submits the form. */
  readonly submit: string;
  readonly onSubmit: (context: ContextValues) => void;
  readonly isPending: boolean;
  /** Additional fields above those of the context. */
  readonly children?: ReactNode;
  readonly description: string;
}

/** The fields of a context. Any field can be added. */
export function ContextForm({
  suggested,
  context,
  submit,
  onSubmit,
  isPending,
  children,
  description,
}: ContextFormProps) {
  const known = useAvailableFields();
  const [values, setValues] = useState(context);
  const [added, setAdded] = useState<readonly string[]>([]);
  const [removed, setRemoved] = useState<readonly string[]>([]);
  useEffect(() => setValues(context), [context]);

  const shown = [...new Set([...suggested, ...Object.keys(values), ...added])].filter(
    (name) => !removed.includes(name),
  );
  const available = [...new Set([...STANDARD_FIELDS, ...known.map(({ name }) => name)])].filter(
    (name) => !shown.includes(name) && name !== "environment",
  );
  return (
    <Form
      className="context-form card card-body"
      aria-label="Context"
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit(withoutEmpty(values));
      }}
    >
      {children}
      <p className="muted context-description">{description}</p>
      {shown.map((name) => (
        <div key={name} className="context-field">
          <ContextValue
            name={name}
            value={ownValue(values, name) ?? ""}
            onChange={(value) => setValues((current) => ({ ...current, [name]: value }))}
            field={describeField(name, known)}
          />
          <IconButton
            label={`Remove ${name}`}
            onPress={() => {
              setValues(without(values, name));
              setAdded(added.filter((one) => one !== name));
              setRemoved([...removed, name]);
            }}
          >
            <X aria-hidden />
          </IconButton>
        </div>
      ))}
      <AddField
        // A new field begins empty.
        key={shown.length}
        choices={available}
        onAdd={(name) => {
          setAdded([...added, name]);
          setRemoved(removed.filter((one) => one !== name));
        }}
      />
      <div>
        <Button type="submit" variant="primary" isPending={isPending}>
          {submit}
        </Button>
      </div>
    </Form>
  );
}

interface ContextValueProps {
  readonly name: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly field: ReturnType<typeof describeField>;
}

function ContextValue({ name, value, onChange, field }: ContextValueProps) {
  const { description, legalValues } = field;
  const help = description === "" ? {} : { description };
  if (name === "currentTime") {
    return (
      <TextField
        label={name}
        type="datetime-local"
        value={toLocalTime(value)}
        onChange={(text) => onChange(fromLocalTime(text))}
        description="In your time zone. Empty: now"
      />
    );
  }
  if (legalValues.length === 0) {
    return (
      <TextField label={name} value={value} onChange={onChange} autoComplete="off" {...help} />
    );
  }
  return (
    <ComboBox label={name} choices={legalValues} value={value} onChange={onChange} {...help} />
  );
}

interface AddFieldProps {
  readonly choices: readonly string[];
  readonly onAdd: (name: string) => void;
}

/** Adds a field when a suggestion is chosen, or when another name is typed and confirmed. */
function AddField({ choices, onAdd }: AddFieldProps) {
  const [name, setName] = useState("");
  const add = (chosen: string): void => {
    if (chosen.trim() !== "") onAdd(chosen.trim());
  };
  return (
    <div className="context-field">
      <ComboBox
        label="Another field"
        choices={choices.map((id) => ({ id, label: id }))}
        value={name}
        onChange={setName}
        onChoose={({ id }) => add(id)}
        placeholder="Name of the field"
      />
      <IconButton label="Add the field" onPress={() => add(name)}>
        <Plus aria-hidden />
      </IconButton>
    </div>
  );
}

function without(values: ContextValues, removed: string): ContextValues {
  return Object.fromEntries(Object.entries(values).filter(([name]) => name !== removed));
}

function withoutEmpty(values: ContextValues): ContextValues {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ""));
}

interface EnvironmentChoiceProps {
  readonly environments: readonly string[];
  readonly selected: readonly string[];
  readonly onChange: (selected: readonly string[]) => void;
}

/** A choice of several environments to compare. Their order stays the same. */
export function EnvironmentChoice({ environments, selected, onChange }: EnvironmentChoiceProps) {
  return (
    <fieldset className="context-choices">
      <legend>Environments</legend>
      {environments.map((name) => (
        <Checkbox
          key={name}
          label={name}
          isSelected={selected.includes(name)}
          isDisabled={selected.length === 1 && selected.includes(name)}
          onChange={(isSelected) =>
            onChange(
              environments.filter((one) => (one === name ? isSelected : selected.includes(one))),
            )
          }
        />
      ))}
    </fieldset>
  );
}
