import { type ClipboardEvent, type KeyboardEvent, useMemo, useState } from "react";
import { Button } from "../ui/button.tsx";
import { Chips } from "../ui/chips.tsx";
import { TextField } from "../ui/fields.tsx";
import { ComboBox } from "../ui/combo-box.tsx";
import { describeCount, formatCount } from "../ui/numbers.ts";
import { LongValueList } from "./long-value-list.tsx";
import { ManyValues } from "./many-values.tsx";
import { SplitHint } from "./split-hint.tsx";
import { containsText, describeDownload, parseLines, parseValues, withValues } from "./values.ts";
import "./constraints.css";

/** How many values are shown next to each other. More would be slow and hard to read. */
const MAX_CHIPS = 40;
/** How many legal values are suggested at once. */
const SUGGESTED_VALUES = 100;

interface ValueListFieldProps {
  readonly values: readonly string[];
  readonly onChange: (values: readonly string[]) => void;
  /** Values to choose from. Empty if there are none. @default [] */
  readonly suggestions?: readonly string[];
  readonly placeholder?: string;
  readonly maxValues: number;
  /** Returns what is wrong with the values; undefined if they are valid. */
  readonly validate: (values: readonly string[]) => string | undefined;
}

/** A list of strings: typed, chosen, pasted or read from a file, or edited as text with one value per line. */
export function ValueListField(props: ValueListFieldProps) {
  const [mode, setMode] = useState<"list" | "many" | "text">("list");
  const { values, onChange, suggestions = [], maxValues } = props;
  const [start] = useState(values);
  const isText = mode === "text";
  return (
    <div className="value-list">
      {isText ? <ValueText {...props} /> : <ValueChoice {...props} />}
      <SplitHint
        values={values}
        known={[...start, ...suggestions]}
        onSplit={(split) => {
          onChange(split);
          // The text would still be the old one.
          setMode("list");
        }}
      />
      <div className="row">
        <span className={values.length > maxValues ? "field-error" : "muted"}>
          {describeCount(values.length, "value")}
          {values.length > maxValues ? `, at most ${formatCount(maxValues)}` : ""}
        </span>
        {isText ? null : (
          <Button
            size="small"
            variant="quiet"
            aria-expanded={mode === "many"}
            onPress={() => setMode(mode === "many" ? "list" : "many")}
          >
            Add or remove many
          </Button>
        )}
        <Button size="small" variant="quiet" onPress={() => setMode(isText ? "list" : "text")}>
          {isText ? "Show as list" : "Edit as text"}
        </Button>
        {values.length > 1 ? (
          <Button size="small" variant="quiet" onPress={() => onChange([])}>
            Remove all
          </Button>
        ) : null}
      </div>
      {mode === "many" ? (
        <ManyValues values={values} onChange={onChange} onClose={() => setMode("list")} />
      ) : null}
      <DownloadSize values={values} />
    </div>
  );
}

function DownloadSize({ values }: Pick<ValueListFieldProps, "values">) {
  const size = useMemo(() => describeDownload(values), [values]);
  return size === undefined ? null : <p className="field-description">{size}</p>;
}

/** A long list is searched, because it is not shown at once. */
function ValueList({ values, onChange }: Pick<ValueListFieldProps, "values" | "onChange">) {
  if (values.length > MAX_CHIPS) return <LongValueList values={values} onChange={onChange} />;
  return (
    <Chips
      label="Values"
      values={values}
      onRemove={(removed) => onChange(values.filter((value) => value !== removed))}
    />
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

function ValueChoice({
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
    description:
      "Paste a list to add many at once, separated by commas, semicolons or line breaks.",
    ...(placeholder !== undefined && { placeholder }),
    validate: (typed: string) =>
      typed === "" || values.length > 0 ? validate(values) : validate(parseValues(typed)),
  };
  return (
    <>
      {values.length === 0 ? null : <ValueList values={values} onChange={onChange} />}
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
              .filter((value) => !chosen.has(value) && containsText(value, text))
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
