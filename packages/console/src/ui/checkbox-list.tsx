import { useId, useState } from "react";
import { Checkbox, SEARCHABLE_COUNT, SearchField } from "./fields.tsx";
import { matchesWords, toWords } from "./words.ts";
import "./checkbox-list.css";

interface CheckboxListProps {
  readonly label: string;
  readonly choices: readonly { readonly id: string; readonly label: string }[];
  readonly value: readonly string[];
  readonly onChange: (ids: readonly string[]) => void;
  /** What is wrong with the choice. @default nothing is shown */
  readonly problem?: string;
}

/** A choice of several values. Long lists can be searched. */
export function CheckboxList({ label, choices, value, onChange, problem }: CheckboxListProps) {
  const id = useId();
  const [query, setQuery] = useState("");
  const words = toWords(query);
  const shown = choices.filter((choice) => matchesWords(words, choice.label, choice.id));
  return (
    <div className="checkbox-list" role="group" aria-labelledby={id}>
      <span id={id} className="checkbox-list-label">
        {label}
      </span>
      {choices.length >= SEARCHABLE_COUNT ? (
        <SearchField label="Search" value={query} onChange={setQuery} />
      ) : null}
      <div className="checkbox-list-choices">
        {shown.map((choice) => (
          <Checkbox
            key={choice.id}
            label={choice.label}
            isSelected={value.includes(choice.id)}
            onChange={(isSelected) =>
              onChange(
                isSelected
                  ? [...value, choice.id]
                  : value.filter((selected) => selected !== choice.id),
              )
            }
          />
        ))}
        {shown.length === 0 ? <span className="muted">Nothing matches.</span> : null}
      </div>
      {problem === undefined ? null : (
        <span className="field-error" role="alert">
          {problem}
        </span>
      )}
    </div>
  );
}
