import { type ClipboardEvent, type KeyboardEvent, useMemo, useState } from "react";
import { Button } from "../ui/button.tsx";
import { Chips } from "../ui/chips.tsx";
import { SearchField, TextField } from "../ui/fields.tsx";
import { ComboBox } from "../ui/combo-box.tsx";
import { describeDownload, parseLines, parseValues, withValues } from "./values.ts";
import "./constraints.css";
import { describeCount, formatCount } from "../ui/numbers.ts";

/** How many values are shown one by one. More would be slow and hard to read. */
const SHOWN_VALUES = 40;
/** How many legal values are suggested at once. */
const SUGGESTED_VALUES = 100;

interface ValueListFieldProps {
  readonly values: readonly string[];
  readonly onChange: (values: readonly string[]) => void;
  /** Values to choose from. Empty if there are none. @default [] */
  readonly suggestions?: readonly string[];
  readonly placeholder?: string;
  /** Returns what is wrong with the values; undefined if they are valid. */
  readonly validate: (values: readonly string[]) => string | undefined;
}

/** A list of strings: typed, chosen or pasted one by one, or edited as text with one value per line. */
export function ValueListField(props: ValueListFieldProps) {
  const [isText, setText] = useState(false);
  const { values, onChange } = props;
  return (
    <div className="value-list">
      {isText ? <ValueText {...props} /> : <ValueChips {...props} />}
      <div className="row">
        <span className="muted">{describeCount(values.length, "value")}</span>
        <Button size="small" variant="quiet" onPress={() => setText(!isText)}>
          {isText ? "Show as list" : "Edit as text"}
        </Button>
        {values.length > 1 ? (
          <Button size="small" variant="quiet" onPress={() => onChange([])}>
            Remove all
          </Button>
        ) : null}
      </div>
      <DownloadSize values={values} />
    </div>
  );
}

function DownloadSize({ values }: Pick<ValueListFieldProps, "values">) {
  const size = useMemo(() => describeDownload(values), [values]);
  return size === undefined ? null : <p className="field-description">{size}</p>;
}

/** Only a part of a long list is shown: finds and removes the others. */
function LongList({ values, onChange }: Pick<ValueListFieldProps, "values" | "onChange">) {
  const [query, setQuery] = useState("");
  const isLong = values.length > SHOWN_VALUES;
  const found = useMemo(
    () => (isLong ? values.filter((value) => contains(value, query)) : values),
    [values, query, isLong],
  );
  const hidden = found.length - SHOWN_VALUES;
  return (
    <>
      {isLong ? (
        // NOTE: Enter would otherwise submit the form.
        <div onKeyDown={(event) => void (event.key === "Enter" && event.preventDefault())}>
          <SearchField label="Search the values" value={query} onChange={setQuery} />
        </div>
      ) : null}
      {found.length === 0 ? (
        <p className="muted">No value matches.</p>
      ) : (
        <div className="row">
          <Chips
            label="Values"
            values={found.slice(0, SHOWN_VALUES)}
            onRemove={(removed) => onChange(values.filter((value) => value !== removed))}
          />
          {hidden > 0 ? <span className="muted">and {formatCount(hidden)} more</span> : null}
        </div>
      )}
    </>
  );
}

function ValueText({ values, onChange, validate }: ValueListFieldProps) {
  const [text, setText] = useState(values.join("\n"));
  return (
    <TextField
      label="Values"
      value={text}
      onChange={(changed) => {
        setText(changed);
        onChange(parseLines(changed));
      }}
      rows={8}
      isCode
      description="One value per line."
      validate={() => validate(values)}
    />
  );
}

function ValueChips({
  values,
  onChange,
  suggestions = [],
  placeholder,
  validate,
}: ValueListFieldProps) {
  const [text, setText] = useState("");
  const add = (added: readonly string[]): void => {
    onChange(withValues(values, added));
    setText("");
  };
  const chosen = new Set(values);
  const field = {
    label: values.length === 0 ? "Values" : "Add a value",
    value: text,
    description: "Paste a list to add many at once, separated by commas or line breaks.",
    ...(placeholder !== undefined && { placeholder }),
    validate: (typed: string) =>
      typed === "" || values.length > 0 ? validate(values) : validate(parseValues(typed)),
  };
  return (
    <>
      {values.length === 0 ? null : <LongList values={values} onChange={onChange} />}
      <div
        className="value-list-add"
        onPaste={(event: ClipboardEvent) => {
          const pasted = event.clipboardData.getData("text");
          if (!/[,;\t\r\n]/.test(pasted)) return;
          event.preventDefault();
          add(parseValues(pasted));
        }}
        onKeyDown={(event: KeyboardEvent) => {
          // NOTE: Enter would otherwise submit the form. It is prevented already if it chooses a suggestion.
          if (event.key !== "Enter" || text.trim() === "" || event.isDefaultPrevented()) return;
          event.preventDefault();
          add(parseValues(text));
        }}
        // A value that was typed but not added would be lost.
        onBlur={() => {
          const isValue = suggestions.length === 0 || suggestions.includes(text);
          if (isValue && text.trim() !== "") add(parseValues(text));
        }}
      >
        {suggestions.length === 0 ? (
          <TextField {...field} onChange={setText} />
        ) : (
          <ComboBox
            {...field}
            onChange={setText}
            onChoose={({ id }) => add([id])}
            choices={suggestions
              .filter((value) => !chosen.has(value) && contains(value, text))
              .slice(0, SUGGESTED_VALUES)
              .map((value) => ({ id: value, label: value }))}
          />
        )}
        <Button isDisabled={text.trim() === ""} onPress={() => add(parseValues(text))}>
          Add
        </Button>
      </div>
    </>
  );
}

function contains(value: string, text: string): boolean {
  return value.toLowerCase().includes(text.trim().toLowerCase());
}
