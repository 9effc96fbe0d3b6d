import { useVirtualizer } from "@tanstack/react-virtual";
import { useMemo, useRef, useState } from "react";
import type { LegalValue } from "../api/types.ts";
import { Button } from "../ui/button.tsx";
import { describeCount } from "../ui/numbers.ts";
import { SEARCHABLE_COUNT, SearchField, TextField } from "../ui/fields.tsx";
import { RowMenu } from "../ui/menu.tsx";
import { matchesWords, toWords } from "../ui/words.ts";
import {
  addValues,
  MAX_DESCRIPTION_LENGTH,
  MAX_VALUE_LENGTH,
  moveValue,
  sortValues,
  toLegalValue,
} from "./legal-values.ts";
import { PasteValues } from "./paste-values.tsx";
import "./legal-values-editor.css";

const ROW_HEIGHT = 48;

interface LegalValuesEditorProps {
  readonly values: readonly LegalValue[];
  readonly onChange: (values: readonly LegalValue[]) => void;
}

/** Edits the values that constraints on a context field may use. */
export function LegalValuesEditor({ values, onChange }: LegalValuesEditorProps) {
  const [query, setQuery] = useState("");
  const [edited, setEdited] = useState<LegalValue>();
  const [isPasting, setPasting] = useState(false);
  return (
    <section className="legal-values" aria-labelledby="legal-values-heading">
      <h3 id="legal-values-heading">Allowed values</h3>
      <p className="field-description">
        {values.length === 0
          ? "Without allowed values, constraints can compare this field with any value. With allowed values, they can only use values from the list, which prevents typing errors."
          : `${describeCount(values.length, "value")}, in the order in which the console offers them.`}
      </p>
      <ValueForm
        key={edited?.value ?? ""}
        edited={edited}
        onSubmit={(entry) => {
          onChange(
            edited === undefined
              ? addValues(values, [entry])
              : values.map((other) => (other.value === entry.value ? entry : other)),
          );
          setEdited(undefined);
        }}
        onCancel={() => setEdited(undefined)}
      />
      <div className="row">
        <Button size="small" onPress={() => setPasting(!isPasting)} aria-expanded={isPasting}>
          Paste a list
        </Button>
        {values.length > 1 ? (
          <Button size="small" onPress={() => onChange(sortValues(values))}>
            Sort
          </Button>
        ) : null}
        {values.length > 0 ? (
          <Button size="small" onPress={() => onChange([])}>
            Remove all
          </Button>
        ) : null}
      </div>
      {isPasting ? (
        <PasteValues
          values={values}
          onAdd={(added) => {
            onChange(addValues(values, added));
            setPasting(false);
          }}
        />
      ) : null}
      {values.length >= SEARCHABLE_COUNT ? (
        <SearchField label="Search the values" value={query} onChange={setQuery} />
      ) : null}
      <ValueList values={values} query={query} onChange={onChange} onEdit={setEdited} />
    </section>
  );
}

interface ValueFormProps {
  /** The value whose description is being edited; undefined for a new value. */
  readonly edited: LegalValue | undefined;
  readonly onSubmit: (entry: LegalValue) => void;
  readonly onCancel: () => void;
}

/** NOTE: not a form element, because forms cannot contain others. */
function ValueForm({ edited, onSubmit, onCancel }: ValueFormProps) {
  const [value, setValue] = useState(edited?.value ?? "");
  const [description, setDescription] = useState(edited?.description ?? "");
  const submit = (): void => {
    if (value.trim() === "") return;
    onSubmit(toLegalValue(value.trim(), description.trim()));
    setValue("");
    setDescription("");
  };
  return (
    <div
      className="legal-value-form"
      role="group"
      aria-label={edited === undefined ? "New value" : `Value ${edited.value}`}
      onKeyDown={(event) => {
        if (event.key !== "Enter" || !(event.target instanceof HTMLInputElement)) return;
        event.preventDefault();
        submit();
      }}
    >
      <TextField
        label="Value"
        value={value}
        onChange={setValue}
        maxLength={MAX_VALUE_LENGTH}
        isDisabled={edited !== undefined}
      />
      <TextField
        label="Description (optional)"
        value={description}
        onChange={setDescription}
        maxLength={MAX_DESCRIPTION_LENGTH}
        autoFocus={edited !== undefined}
      />
      <Button onPress={submit} isDisabled={value.trim() === ""}>
        {edited === undefined ? "Add value" : "Change"}
      </Button>
      {edited === undefined ? null : (
        <Button variant="quiet" onPress={onCancel}>
          Discard change
        </Button>
      )}
    </div>
  );
}

interface ValueListProps extends LegalValuesEditorProps {
  readonly query: string;
  readonly onEdit: (entry: LegalValue) => void;
}

/** Only the visible values are rendered, so that there can be thousands. */
function ValueList({ values, query, onChange, onEdit }: ValueListProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const shown = useMemo(() => {
    const words = toWords(query);
    return values
      .map((entry, index) => ({ entry, index }))
      .filter(({ entry }) => matchesWords(words, entry.value, entry.description));
  }, [values, query]);
  const rows = useVirtualizer({
    count: shown.length,
    estimateSize: () => ROW_HEIGHT,
    overscan: 8,
    getScrollElement: () => scroller.current,
    getItemKey: (index) => shown[index]?.entry.value ?? index,
  });
  if (values.length === 0) return null;
  if (shown.length === 0) return <p className="muted">No value matches.</p>;
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- so that the keyboard can scroll it
    <div ref={scroller} className="legal-value-list" tabIndex={0} role="region" aria-label="Values">
      <ul style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index: position, start }) => {
          const item = shown[position];
          if (item === undefined) return null;
          const { entry, index } = item;
          return (
            <li
              key={entry.value}
              className="legal-value"
              aria-posinset={position + 1}
              aria-setsize={shown.length}
              style={{ transform: `translateY(${start}px)` }}
            >
              <span className="legal-value-text">
                <strong>{entry.value}</strong> <span className="muted">{entry.description}</span>
              </span>
              <RowMenu
                name={entry.value}
                entries={[
                  { label: "Edit the description", run: () => onEdit(entry) },
                  {
                    label: "Move up",
                    run: () => onChange(moveValue(values, index, -1)),
                    isDisabled: index === 0,
                  },
                  {
                    label: "Move down",
                    run: () => onChange(moveValue(values, index, 1)),
                    isDisabled: index === values.length - 1,
                  },
                  {
                    label: "Remove",
                    run: () => onChange(values.toSpliced(index, 1)),
                    isDangerous: true,
                  },
                ]}
              />
            </li>
          );
        })}
      </ul>
    </div>
  );
}
